#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/net/proxy.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/downloader.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>
#include <reelsd/platform/request_profile.hpp>
#include <reelsd/platform/resolver.hpp>
#include <reelsd/platform/session.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::platform {

/// The settings of contract section 8 that concern the platform.
struct source_settings {
    /// REELSD_PLATFORM_URL: an origin, without path.
    std::string platform_url = "https://www.instagram.com";
    /// REELSD_RESOLVERS, of known_resolvers().
    std::vector<std::string> resolvers = {"page", "graphql", "embed", "yt-dlp"};
    /// REELSD_YT_DLP_PATH; a name without a slash is looked up in PATH.
    std::string yt_dlp_path = "yt-dlp";
    /// The program reelsd-media, as an absolute path, which runs yt-dlp inside a sandbox.
    std::filesystem::path sandbox = {};
    /// REELSD_PLATFORM_COOKIES_FILE; empty: no session.
    std::filesystem::path cookies_file = {};
    /// REELSD_JAIL.
    std::string jail = "require";
    request_profile profile = {};
    /// REELSD_MEDIA_HOSTS: names with their subdomains, and exact addresses.
    std::vector<std::string> media_hosts = {"cdninstagram.com", "fbcdn.net"};
    /// REELSD_ALLOW_PRIVATE_ADDRESSES: for `media_hosts`.
    bool allow_private_addresses = false;
    /// REELSD_MEDIA_NETWORKS: for `media_hosts` and the platform itself.
    std::vector<net::ip_network> media_networks = {};
    /// REELSD_PLATFORM_PROXY: used in turn for look-ups. Empty: none.
    std::vector<net::proxy> platform_proxies = {};
    /// REELSD_MEDIA_PROXY: used in turn for downloads. Empty: none.
    std::vector<net::proxy> media_proxies = {};
    /// REELSD_OUTGOING_ADDRESS, for look-ups and downloads; empty: the system chooses.
    std::string outgoing_address = {};
    /// REELSD_DASH: take a video that is served only as separate files of picture and sound.
    bool takes_tracks = false;
    /// REELSD_CA_FILE; empty: the system's.
    std::string ca_file = {};
    std::uint64_t video_bytes_max = std::uint64_t{100} * 1024 * 1024;
    /// The sample video of the test link.
    std::filesystem::path sample_path = {};
    /// Told how each resolver's tries end; may be empty.
    resolution_observer on_resolution = {};
    /// Told of each answer that a resolver gets; may be empty.
    answer_observer on_answer = {};
};

/// From a link to a post and its file: the interface of the platform to a job.
/// Blocking; safe from any thread. The two steps are:
///
///     auto found = source.resolve(link, pace, by, stop);
///     auto got = source.download(*found, target, by, stop);
///     if got holds stale_media and this is the first time: resolve and download once more;
///     if it does again: fail with stale_media::if_fresh.
///
/// Errors of a link with is_test() are part of the test: they are final, however transient their
/// code.
class source {
public:
    /// errc::invalid_argument for a platform_url that is no origin, an unknown or repeated resolver
    /// or none; also when yt-dlp is the only one and is not installed, when session is named
    /// without cookies_file, and for a cookies_file as session::open(). The detail names the
    /// setting. Beside others, a yt-dlp that is not installed is left out.
    [[nodiscard]] static result<std::unique_ptr<source>> create(
        source_settings settings, const log::logger& log);

    virtual ~source() = default;

    /// The operator's session; null without one. Lives as long as this.
    [[nodiscard]] virtual session* platform_session() const noexcept { return nullptr; }

    /// The post that a share link means; any other link is returned as it is. A share link is
    /// looked up at the pace of the resolver "share". Errors as expand_share_link() and
    /// rate_limiter::ask().
    [[nodiscard]] virtual boost::system::result<link, unresolved> expand(
        const link& wanted, rate_limiter& pace, deadline by, std::stop_token stop) const = 0;

    /// Follows a share link first. Threads that want the same post at the same time ask for it once
    /// and share the answer. Errors as resolver_chain::resolve(), and for test links whichever they
    /// stand for (also video_too_long, model_refused, storage_failed).
    [[nodiscard]] virtual chain_resolution resolve(
        const link& wanted, rate_limiter& pace, deadline by, std::stop_token stop,
        const excluded_resolvers& excluded = {}) const = 0;

    /// Errors as downloader::download().
    [[nodiscard]] virtual result<download_outcome> download(
        const post& subject, const std::filesystem::path& target, deadline by,
        std::stop_token stop) const = 0;
};

/// What look-ups may connect to. `platform` is the URL of `platform_url`.
[[nodiscard]] net::address_policy lookup_policy(
    const source_settings& settings, const net::url& platform);

/// The session that the settings describe. `platform` is the URL of `platform_url`.
[[nodiscard]] session_settings session_settings_of(
    const source_settings& settings, const net::url& platform);

/// The names that source_settings::resolvers may hold.
[[nodiscard]] std::vector<std::string> known_resolvers();

/// What is paced, cools down and is counted apart, in the order in which it is asked: each resolver
/// by each proxy, as routed_name() names them; a session uses the first proxy only, because the
/// platform suspects accounts that change their address.
[[nodiscard]] std::vector<std::string> routed_resolvers(const source_settings& settings);

}  // namespace reelsd::platform
