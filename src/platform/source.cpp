#include "http_resolvers.hpp"
#include "single_flight.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/platform/source.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>
#include <reelsd/process/child_run.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <optional>

namespace reelsd::platform {
namespace {

net::address_policy media_policy(const source_settings& settings) {
    return {
        .host_suffixes = settings.media_hosts,
        .allow_private = settings.allow_private_addresses,
        .networks = settings.media_networks,
        .hosts_setting = "media-hosts",
        .networks_setting = "media-networks"};
}

error bad_setting(const std::string& detail) {
    return error{errc::invalid_argument, detail};
}

result<net::url> origin_in(const std::string& text) {
    auto platform = net::url::parse(text);
    // Only a trailing slash may follow.
    if (!platform || (platform->path() != "/" || text.find_first_of("?#") != std::string::npos))
        return bad_setting("platform-url must be an origin such as https://www.instagram.com");
    return platform;
}

/// The result of a look-up depends on the slide and the resolvers too.
std::string flight_key_of(const link& reel, const excluded_resolvers& excluded) {
    auto key = reel.code + "#" + (reel.img_index ? std::to_string(*reel.img_index) : "");
    for (const auto& name : excluded) key += "-" + name;
    return key;
}

/// A client that connects directly or by a proxy.
struct route {
    std::string proxy_name;  ///< Empty: directly.
    std::optional<net::proxy> by_proxy;
    std::unique_ptr<net::http_client> client;

    [[nodiscard]] std::string name_of(std::string_view resolver) const {
        return proxy_name.empty() ? std::string{resolver} : routed_name(resolver, proxy_name);
    }
};

/// The proxies' addresses, numbered where several proxies with different users have the same.
std::vector<std::string> names_of(const std::vector<net::proxy>& proxies) {
    std::vector<std::string> names;
    std::map<std::string, int, std::less<>> uses;
    for (const auto& proxy : proxies) {
        const int number = ++uses[proxy.address()];
        names.push_back(
            number == 1 ? proxy.address() : proxy.address() + "#" + std::to_string(number));
    }
    return names;
}

/// One for each proxy, or only the direct one.
std::vector<route> routes_by(
    const std::vector<net::proxy>& proxies, const net::address_policy& policy,
    const source_settings& settings) {
    const auto client_of = [&](const std::optional<net::proxy>& by_proxy) {
        return std::make_unique<net::http_client>(net::http_client_settings{
            .policy = policy,
            .by_proxy = by_proxy,
            .outgoing_address = settings.outgoing_address,
            .ca_file = settings.ca_file});
    };
    std::vector<route> routes;
    const auto names = names_of(proxies);
    for (std::size_t at = 0; at < proxies.size(); ++at)
        routes.push_back({names[at], proxies[at], client_of(proxies[at])});
    if (routes.empty()) routes.push_back({{}, std::nullopt, client_of(std::nullopt)});
    return routes;
}

class routed_resolver final : public resolver {
public:
    routed_resolver(std::string name, std::unique_ptr<resolver> target)
        : name_{std::move(name)}, target_{std::move(target)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] bool is_enabled(deadline by) const override { return target_->is_enabled(by); }
    [[nodiscard]] resolution resolve(
        const link& reel, deadline by, std::stop_token stop) const override {
        return target_->resolve(reel, by, std::move(stop));
    }
    void note_unconfirmed(const link& reel) const override { target_->note_unconfirmed(reel); }

private:
    std::string name_;
    std::unique_ptr<resolver> target_;
};

post sample_post(const link& reel, const std::filesystem::path& file) {
    post sample;
    sample.code = reel.code;
    sample.url = reel.canonical_url();
    sample.author = "reelsd";
    sample.author_name = "reelsd sample";
    sample.author_verified = false;
    sample.caption = "A sample reel with speech, music and text on screen. #sample #reelsd @reelsd";
    sample.hashtags = hashtags_of(*sample.caption);
    sample.mentions = mentions_of(*sample.caption);
    sample.like_count = 42;
    sample.comment_count = 7;
    // 2026-01-01T00:00:00Z.
    sample.posted_at = time_point{std::chrono::seconds{1'767'225'600}};
    sample.media = local_media{.file = file};
    return sample;
}

/// Not movable: its members refer to each other.
class real_source : public source {
public:
    real_source(
        const source_settings& settings, net::url platform, std::unique_ptr<session> own_session,
        const log::logger& log)
        : platform_{std::move(platform)},
          session_{std::move(own_session)},
          lookup_routes_{
              routes_by(settings.platform_proxies, lookup_policy(settings, platform_), settings)},
          media_routes_{routes_by(settings.media_proxies, media_policy(settings), settings)},
          sample_path_{settings.sample_path},
          chain_{resolvers_of(settings), log, settings.on_resolution},
          on_resolution_{settings.on_resolution} {
        for (const auto& by : media_routes_)
            downloaders_.emplace_back(
                *by.client,
                downloader_settings{
                    .bytes_max = settings.video_bytes_max,
                    .user_agent = settings.profile.browser_user_agent});
    }

    [[nodiscard]] session* platform_session() const noexcept override { return session_.get(); }

    [[nodiscard]] boost::system::result<link, unresolved> expand(
        const link& reel, rate_limiter& pace, deadline by, std::stop_token stop) const override {
        if (reel.kind == link_kind::post) return reel;
        const auto& route = lookup_routes_[next_lookup_++ % lookup_routes_.size()];
        const auto name = route.name_of(share_resolver_name);
        const auto permit = wait_for_permit(name, pace, first_patience, by, stop);
        if (!permit) return unresolved{permit.error()};
        if (permit->wait > seconds_f{0}) {
            const char* reason = permit->is_cooldown ? "look-ups of share links are cooling down"
                                                     : "our own rate limit";
            return unresolved{error{errc::platform_rate_limited, reason}, *permit};
        }
        const auto post = expand_share_link(*route.client, platform_, reel, by, stop);
        const auto failure = post ? no_post{} : no_post{post.error()};
        const auto outcome = post ? try_outcome::answered : try_outcome_of(failure);
        const auto rest = note_try(pace, name, {.outcome = outcome, .code = reel.code}, stop);
        if (on_resolution_) on_resolution_(name, post ? nullptr : &failure.why);
        if (post) {
            auto expanded = *post;
            if (reel.img_index) expanded.img_index = reel.img_index;
            return expanded;
        }
        unresolved without_post{failure.why};
        without_post.not_before = rest;
        return without_post;
    }

    [[nodiscard]] chain_resolution resolve(
        const link& reel, rate_limiter& pace, deadline by, std::stop_token stop,
        const lookup_options& options) const override {
        if (reel.is_test()) {
            if (stop.stop_requested()) return unresolved{error{errc::cancelled}};
            if (const auto failure = reel.test_error())
                return unresolved{error{*failure, "test link"}};
            return sample_post(reel, sample_path_);
        }
        const auto expanded = expand(reel, pace, by, stop);
        if (!expanded) return expanded.error();
        auto shared = flights_.run(
            flight_key_of(*expanded, options.excluded),
            by,
            stop,
            [&] { return chain_.resolve(*expanded, pace, by, stop, options); },
            [](const chain_resolution& outcome) {
                return outcome || outcome.error().why.code() != errc::cancelled;
            });
        if (shared) return *std::move(shared);
        return unresolved{error{
            stop.stop_requested() ? errc::cancelled : errc::timed_out,
            "another job's look-up of the same post did not end in time"}};
    }

    [[nodiscard]] result<download_outcome> download(
        const post& subject, const std::filesystem::path& target, deadline by,
        std::stop_token stop) const override {
        const auto first = next_download_++;
        for (std::size_t tried = 1;; ++tried) {
            const auto& by_route = downloaders_[(first + tried) % downloaders_.size()];
            auto outcome = by_route.download(subject, target, by, stop);
            const bool is_proxy_error = !outcome && outcome.error().code() == errc::proxy_failed;
            if (!is_proxy_error || tried == downloaders_.size()) return outcome;
        }
    }

private:
    [[nodiscard]] std::vector<std::unique_ptr<resolver>> resolvers_of(
        const source_settings& settings) const {
        std::vector<std::unique_ptr<resolver>> order;
        for (const auto& name : settings.resolvers) {
            for (const auto& by : lookup_routes_) {
                order.push_back(std::make_unique<routed_resolver>(
                    by.name_of(name), resolver_of(name, by, settings)));
                if (name == session_resolver_name) break;
            }
        }
        return order;
    }

    /// `name` is of known_resolvers().
    [[nodiscard]] std::unique_ptr<resolver> resolver_of(
        std::string_view name, const route& by, const source_settings& settings) const {
        if (name == "yt-dlp")
            return std::make_unique<yt_dlp_resolver>(yt_dlp_settings{
                .program = settings.yt_dlp_path,
                .sandbox = settings.sandbox,
                .jail = settings.jail,
                .ca_file = settings.ca_file,
                .by_proxy = by.by_proxy,
                .outgoing_address = settings.outgoing_address,
                .platform_session = &by == &lookup_routes_.front() ? session_.get() : nullptr,
                .takes_tracks = settings.takes_tracks,
                .observe = settings.on_answer});
        http_resolver_settings common{
            .platform = platform_,
            .profile = settings.profile,
            .observe = settings.on_answer,
            .takes_tracks = settings.takes_tracks};
        const auto& client = *by.client;
        if (name == "graphql") return std::make_unique<graphql_resolver>(client, std::move(common));
        if (name == "embed") return std::make_unique<embed_resolver>(client, std::move(common));
        if (name == session_resolver_name) {
            invariant(session_ != nullptr);
            return std::make_unique<session_resolver>(client, *session_, std::move(common));
        }
        invariant(name == "page");
        return std::make_unique<page_resolver>(client, std::move(common));
    }

    net::url platform_;
    std::unique_ptr<session> session_;  ///< Null without one.
    std::vector<route> lookup_routes_;  ///< Not empty.
    std::vector<route> media_routes_;   ///< Not empty.
    std::filesystem::path sample_path_;
    resolver_chain chain_;
    resolution_observer on_resolution_;
    mutable single_flight<chain_resolution> flights_;
    std::vector<downloader> downloaders_;  ///< By each of `media_routes_`.
    mutable std::atomic<std::size_t> next_lookup_ = 0;
    mutable std::atomic<std::size_t> next_download_ = 0;
};

/// "CDN.test" and ".cdn.test" are the same suffix, "[::1]" and "0::1" the same address.
std::string canonical_host(std::string text) {
    if (text.starts_with('.')) text.erase(0, 1);
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    if (const auto address = parse_ip_address(text)) return address->to_string();
    return ascii_lower(text);
}

/// An unreadable file would make each request fail, as if the platform were unreachable.
result<void> check_ca_file(const std::string& file) {
    if (file.empty() || ::access(file.c_str(), R_OK) == 0) return {};
    return bad_setting("ca-file: " + file + ": " + errno_text(errno));
}

result<void> check_resolvers(const std::vector<std::string>& names) {
    if (names.empty()) return bad_setting("resolvers must name at least one");
    const auto known = known_resolvers();
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::ranges::find(known, *name) == known.end())
            return bad_setting("resolvers has an unknown name: " + *name);
        if (std::find(names.begin(), name, *name) != name)
            return bad_setting("resolvers names one twice: " + *name);
    }
    return {};
}

/// Null without a file of cookies.
result<std::unique_ptr<session>> open_session(
    const source_settings& settings, const net::url& platform, const log::logger& log) {
    const auto& names = settings.resolvers;
    const bool is_named = std::ranges::find(names, session_resolver_name) != names.end();
    if (!settings.cookies_file.empty())
        return session::open(session_settings_of(settings, platform), log);
    if (is_named) return bad_setting("resolvers names session, which needs platform-cookies-file");
    return std::unique_ptr<session>{};
}

/// Sets the path of the program, or omits its resolver: yt-dlp is optional.
result<void> locate_yt_dlp(source_settings& settings, const log::logger& log) {
    auto& names = settings.resolvers;
    const auto name = std::ranges::find(names, "yt-dlp");
    if (name == names.end()) return {};
    const auto program = process::find_program(settings.yt_dlp_path, process::search_path());
    if (program) {
        settings.yt_dlp_path = program->string();
        return {};
    }
    if (names.size() == 1)
        return bad_setting(
            "resolvers lists only yt-dlp, but there is no program " + settings.yt_dlp_path +
            " (yt-dlp-path)");
    names.erase(name);
    log.info(
        "yt-dlp is not installed; links are looked up without it",
        {{"yt-dlp-path", settings.yt_dlp_path}});
    return {};
}

}  // namespace

net::address_policy lookup_policy(const source_settings& settings, const net::url& platform) {
    net::address_policy policy{
        .host_suffixes = {"instagram.com"},
        .networks = settings.media_networks,
        .networks_setting = "media-networks"};
    // A spoofed DNS answer must not lead look-ups of the public platform into the local network.
    if (platform.origin() != source_settings{}.platform_url)
        policy.trusted_origins = {platform.origin()};
    return policy;
}

session_settings session_settings_of(const source_settings& settings, const net::url& platform) {
    return {.file = settings.cookies_file, .host = platform.host()};
}

std::vector<std::string> known_resolvers() {
    return {"page", "graphql", "embed", "session", "yt-dlp"};
}

std::vector<std::string> routed_resolvers(const source_settings& settings) {
    if (settings.platform_proxies.empty()) return settings.resolvers;
    std::vector<std::string> names;
    const auto proxies = names_of(settings.platform_proxies);
    for (const auto& resolver : settings.resolvers) {
        for (const auto& proxy : proxies) {
            names.push_back(routed_name(resolver, proxy));
            if (resolver == session_resolver_name) break;
        }
    }
    return names;
}

bool is_in_use(std::string_view routed_name, const std::vector<std::string>& routed) {
    return std::ranges::find(routed, routed_name) != routed.end();
}

result<std::unique_ptr<source>> source::create(source_settings settings, const log::logger& log) {
    auto& hosts = settings.media_hosts;
    std::ranges::transform(hosts, hosts.begin(), canonical_host);
    std::erase(hosts, "");
    // The guard treats an empty list as any host.
    if (hosts.empty()) return bad_setting("media-hosts must name at least one");
    auto platform = origin_in(settings.platform_url);
    if (!platform) return platform.error();
    if (const auto read = check_ca_file(settings.ca_file); !read) return read.error();
    if (const auto known = check_resolvers(settings.resolvers); !known) return known.error();
    if (const auto located = locate_yt_dlp(settings, log); !located) return located.error();
    auto own_session = open_session(settings, *platform, log);
    if (!own_session) return own_session.error();
    return std::unique_ptr<source>{std::make_unique<real_source>(
        settings, *std::move(platform), *std::move(own_session), log)};
}

}  // namespace reelsd::platform
