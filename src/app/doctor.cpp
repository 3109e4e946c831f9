#include "analyzers.hpp"
#include "commands.hpp"
#include "database.hpp"
#include "installation.hpp"
#include "platform_source.hpp"
#include "session_records.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/http/tls_identity.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/platform/yt_dlp_parser.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>
#include <reelsd/process/child_run.hpp>
#include <reelsd/process/find_program.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

namespace reelsd::app {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto helper_time_max = 30s;
constexpr auto platform_time_max = 10s;
constexpr auto model_time_max = 20s;
/// Of each resolver. A person waits.
constexpr auto canary_time_max = 20s;
/// A cold start of Python included.
constexpr auto yt_dlp_time_max = 15s;
constexpr auto migration_time_max = 10s;
constexpr auto answers_time_max = 5s;
/// Sixteen workers with a video of 100 MiB each, rounded up.
constexpr std::uintmax_t free_bytes_min = std::uintmax_t{2} << 30U;

/// Whoever renews by a program does so a month before the end.
constexpr std::chrono::days certificate_time_min{14};

enum class check_result : std::uint8_t {
    good,
    doubtful,  ///< The daemon runs, but not everything will work.
    bad,       ///< The daemon cannot do its work.
};

struct finding {
    check_result is = check_result::good;
    std::string text;
};

finding bad(const error& why) {
    return {
        check_result::bad, why.detail().empty() ? std::string{name_of(why.code())} : why.detail()};
}

finding check_kernel() {
    const auto checked = process::check_kernel();
    if (!checked) return bad(checked.error());
    utsname system{};
    if (::uname(&system) != 0) return {check_result::good, "Linux"};
    return {check_result::good, fmt::format("{} {}", system.sysname, system.release)};
}

finding check_data_dir(const settings& with) {
    std::error_code failure;
    const fs::path folder{with.data_dir};
    fs::create_directories(folder, failure);
    if (failure)
        return {check_result::bad, fmt::format("{}: {}", folder.string(), failure.message())};
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        return {check_result::bad, fmt::format("{} cannot be written", folder.string())};
    }
    const auto space = fs::space(folder, failure);
    if (failure)
        return {check_result::bad, fmt::format("{}: {}", folder.string(), failure.message())};
    const auto free_mebibytes = space.available >> 20U;
    const auto is = space.available < free_bytes_min ? check_result::doubtful : check_result::good;
    return {is, fmt::format("{}, {} MiB free", folder.string(), free_mebibytes)};
}

finding check_certificate(const settings& with) {
    const auto loaded =
        http::tls_identity::load({.certificate = with.tls_certificate, .key = with.tls_key});
    if (!loaded) return bad(loaded.error());
    const auto expires_at = (*loaded)->expires_at();
    const auto left = expires_at - std::chrono::system_clock::now();
    const auto is = left < certificate_time_min ? check_result::doubtful : check_result::good;
    return {is, fmt::format("valid until {}", to_rfc3339(expires_at))};
}

finding check_migrations(const database& store, const log::logger& log) {
    const db::migrator migrator{
        store.connection_string(), db::embedded_migrations(), db::embedded_functions(), log};
    const auto status = migrator.status(deadline::after(migration_time_max));
    if (!status) return bad(status.error());
    if (status->up_to_date()) {
        return {check_result::good, fmt::format("{} applied", status->applied.size())};
    }
    return {
        check_result::doubtful,
        fmt::format(
            "{} pending, {} functions outdated; `reelsd migrate` applies them",
            status->pending.size(),
            status->outdated_functions.size())};
}

finding check_sample(const settings& with) {
    const auto sample = find_installation(with).sample;
    if (fs::exists(sample)) return {check_result::good, sample.string()};
    return {check_result::doubtful, sample.string() + " is missing: the test link will fail"};
}

finding check_dictionary(const settings& with) {
    const auto dictionary = find_installation(with).dictionary;
    const auto opened = model::local_embedder::open(dictionary);
    if (!opened) return bad(opened.error());
    return {check_result::good, dictionary.string()};
}

/// A model as the helper found it: {"path", "loads", "detail" when it does not}.
finding check_model(const json& told, const char* name) {
    const auto state = told.value(name, json::object());
    const auto path = state.value("path", "");
    if (state.value("loads", false)) return {check_result::good, path};
    return {check_result::bad, fmt::format("{}: {}", path, state.value("detail", "does not load"))};
}

/// The jail as the helper found it from inside. A kernel without the filter leaves a decoder that
/// was taken over the rest of its system calls: that is bad even where the operator accepts it.
finding check_jail(const json& told) {
    const auto report = media::jail_report_from_json(told.value("jail", json::object()));
    if (!report) return bad(report.error());
    const auto missing = report->layers_missing();
    if (!report->refusal.empty()) return {check_result::bad, "decodes nothing: " + report->refusal};
    if (!report->possible.empty()) {
        return {
            check_result::bad,
            fmt::format(
                "a video could {}; missing: {}", fmt::join(report->possible, ", "), missing)};
    }
    if (!report->holds("system_call_filter")) {
        return {check_result::bad, "decodes without the system-call filter (jail = best-effort)"};
    }
    if (missing.empty()) return {check_result::good, "all layers hold"};
    const auto is = report->is_weak() ? check_result::doubtful : check_result::good;
    return {is, fmt::format("missing: {} ({})", missing, fmt::join(report->reasons, "; "))};
}

/// Whether the platform answers, directly or by a proxy. A proxy that gives no connection is bad:
/// everything that goes by it fails.
finding check_platform(const settings& with, const std::optional<net::proxy>& by_proxy) {
    const auto platform = net::url::parse(with.platform_url);
    if (!platform) return bad(platform.error());
    const net::http_client client{
        {.policy = platform::lookup_policy(source_settings_of(with), *platform),
         .by_proxy = by_proxy,
         .outgoing_address = with.outgoing_address,
         .ca_file = with.ca_file}};
    net::http_request request;
    request.method = net::http_method::head;
    request.url = with.platform_url + "/";
    const auto answer = client.send(request, deadline::after(platform_time_max), std::stop_token{});
    if (answer) {
        return {
            check_result::good, fmt::format("{} answers {}", with.platform_url, answer->status())};
    }
    const auto& why = answer.error();
    if (why.code() == errc::proxy_failed)
        return {check_result::bad, fmt::format("the proxy's fault: {}", why.detail())};
    return {check_result::doubtful, fmt::format("{}: {}", with.platform_url, why.to_string())};
}

/// Whether a resolver has the post that is known to be there. `by_proxies` has one proxy or none.
finding try_canary(
    const std::string& resolver, std::vector<net::proxy> by_proxies, const platform::link& canary,
    const settings& with, const log::logger& log) {
    auto options = source_settings_of(with);
    options.resolvers = {resolver};
    options.platform_proxies = std::move(by_proxies);
    const auto source = platform::source::create(options, log);
    if (!source) return bad(source.error());
    platform::no_rate_limit pace;
    const auto found =
        (*source)->resolve(canary, pace, deadline::after(canary_time_max), std::stop_token{});
    if (found) return {check_result::good, "has the post by " + found->author};
    const platform::unresolved none = found.error();
    return {check_result::doubtful, none.why.to_string()};
}

/// What the sandbox of yt-dlp cannot stop on this kernel; see docs/security.md.
std::string gaps_in_sandbox(const settings& with) {
    const media::media_client client{
        {.helper = find_installation(with).media_helper, .jail = with.jail}};
    const auto jail = client.examine_jail(deadline::after(helper_time_max), std::stop_token{});
    if (!jail) return {};
    std::string gaps;
    // Landlock's versions 4 (Linux 6.7) and 6 (Linux 6.12).
    if (jail->landlock_version < 4) gaps += "; its sandbox lets it connect to any TCP port";
    const bool is_apart = jail->holds("own_namespaces");
    if (!is_apart) gaps += "; it may outlive a killed daemon (no namespaces)";
    if (!is_apart && jail->landlock_version < 6) gaps += "; it may signal the daemon";
    return gaps;
}

/// The last way to a post, which no installation needs unless it is the only one.
finding check_yt_dlp(const settings& with) {
    const auto program = process::find_program(with.yt_dlp_path, process::search_path());
    if (!program) {
        const bool is_needed = resolvers_of(with) == std::vector<std::string>{"yt-dlp"};
        return is_needed ? finding{check_result::bad, with.yt_dlp_path + " is not installed"}
                         : finding{check_result::good, "not installed, which is fine"};
    }
    const auto source = source_settings_of(with);
    const auto version = platform::yt_dlp_version(
        {.program = *program, .sandbox = source.sandbox, .jail = source.jail},
        deadline::after(yt_dlp_time_max),
        std::stop_token{});
    if (!version) {
        return {
            check_result::doubtful,
            fmt::format("{}: {}", program->string(), version.error().detail())};
    }
    if (platform::is_outdated_yt_dlp(*version)) {
        return {
            check_result::doubtful,
            fmt::format(
                "{} is too old: before {} nothing works any more",
                *version,
                platform::yt_dlp_version_min)};
    }
    return {
        check_result::good,
        fmt::format("{} {}{}", program->string(), *version, gaps_in_sandbox(with))};
}

class report {
public:
    void add(std::string_view what, const finding& found) {
        const char* mark = "ok";
        if (found.is == check_result::doubtful) mark = "warn";
        if (found.is == check_result::bad) mark = "FAIL";
        failures_ += found.is == check_result::bad ? 1 : 0;
        fmt::print("{:<5} {:<14} {}\n", mark, what, found.text);
    }

    [[nodiscard]] int failures() const noexcept { return failures_; }

private:
    int failures_ = 0;
};

/// A line for each resolver in use that was tried without ever an answer on this installation.
void check_answers(
    report& lines, const settings& with, const database& store, const log::logger& log) {
    std::vector<pacing::resolver_state> states;
    const auto read = [&](db::pool& pool) -> boost::asio::awaitable<result<void>> {
        pacing::pace_store paces{pool};
        states = co_await paces.list(platform_host(with), deadline::after(answers_time_max));
        co_return result<void>{};
    };
    if (const auto done = with_pool(store, log, read); !done) {
        lines.add("answers", bad(done.error()));
        return;
    }
    const bool is_silent = pacing::has_never_answered(states);
    const auto used = platform::routed_resolvers(source_settings_of(with));
    for (const auto& one : states) {
        if (!one.has_never_answered() ||
            std::find(used.begin(), used.end(), one.resolver) == used.end())
            continue;
        lines.add(
            "by " + one.resolver,
            {check_result::doubtful,
             fmt::format(
                 "{} has never answered this server{}",
                 platform_host(with),
                 is_silent ? " and may refuse its address; set a proxy (platform-proxy) or a "
                             "session (platform-cookies-file), or upload videos"
                           : " by this resolver; others work")});
    }
}

void check_database(report& lines, const settings& with, const log::logger& log) {
    const auto store = database::open(with, log);
    if (!store) {
        lines.add("database", bad(store.error()));
        lines.add("migrations", {check_result::bad, "not looked at: there is no database"});
        return;
    }
    const bool is_private = (*store)->cluster() != nullptr;
    lines.add("database", {check_result::good, is_private ? "private cluster answers" : "answers"});
    const auto migrations = check_migrations(**store, log);
    lines.add("migrations", migrations);
    if (migrations.is == check_result::good) check_answers(lines, with, **store, log);
}

void check_media(report& lines, const settings& with) {
    media::media_options options;
    options.helper = find_installation(with).media_helper;
    options.tessdata = with.tessdata_dir;
    options.speech_model = with.speech_model_dir;
    options.jail = with.jail;
    const media::media_client client{options};
    const auto told = client.doctor(deadline::after(helper_time_max), std::stop_token{});
    if (!told) {
        lines.add("media helper", bad(told.error()));
        return;
    }
    lines.add("media helper", {check_result::good, options.helper.string()});
    lines.add("jail", check_jail(*told));
    lines.add("text model", check_model(*told, "tessdata"));
    lines.add("speech model", check_model(*told, "speech_model"));
}

/// Every proxy of any setting, once.
std::vector<net::proxy> all_proxies(const settings& with) {
    auto listed = with.platform_proxies;
    if (with.media_proxies)
        listed.insert(listed.end(), with.media_proxies->begin(), with.media_proxies->end());
    for (const auto& proxy : {with.model_proxy, with.telegram_proxy, with.webhook_proxy}) {
        if (proxy) listed.push_back(*proxy);
    }
    std::vector<net::proxy> distinct;
    for (const auto& proxy : listed) {
        const auto same = [&](const net::proxy& other) { return other.url() == proxy.url(); };
        if (std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(proxy);
    }
    return distinct;
}

/// Returns whether look-ups reach the platform in any of the ways that are configured.
bool check_ways_to_platform(report& lines, const settings& with) {
    bool is_reachable = false;
    if (with.platform_proxies.empty()) {
        const auto direct = check_platform(with, std::nullopt);
        lines.add("platform", direct);
        is_reachable = direct.is == check_result::good;
    }
    for (const auto& proxy : all_proxies(with)) {
        const auto by_proxy = check_platform(with, proxy);
        lines.add("proxy " + proxy.address(), by_proxy);
        is_reachable = is_reachable || by_proxy.is == check_result::good;
    }
    return is_reachable;
}

/// Why the platform has refused the session of the file; empty when it has not.
result<std::optional<std::string>> refusal_of(
    const std::string& fingerprint, const settings& with, const log::logger& log) {
    std::optional<std::string> refusal;
    const auto who = session_resolver_of(platform_host(with), source_settings_of(with));
    const auto asked =
        with_database(with, log, [&](db::pool& pool) -> boost::asio::awaitable<result<void>> {
            pacing::refused_session_store refusals{pool};
            refusal = co_await refusals.find(who, fingerprint, deadline::after(migration_time_max));
            co_return result<void>{};
        });
    if (!asked) return asked.error();
    return refusal;
}

/// Reports on the session. Returns the settings without it when it must not be used.
settings check_session(report& lines, const settings& with, const log::logger& log) {
    if (with.platform_cookies_file.empty()) return with;
    auto without = with;
    auto resolvers = resolvers_of(with);
    std::erase(resolvers, platform::session_resolver_name);
    without.resolvers = std::move(resolvers);
    without.platform_cookies_file.clear();
    const auto platform = net::url::parse(with.platform_url);
    if (!platform) return without;  // Has a line of its own.
    const auto cookies = platform::read_session_file(
        platform::session_settings_of(source_settings_of(with), *platform));
    if (!cookies) {
        lines.add("session", bad(cookies.error()));
        return without;
    }
    const auto refusal = refusal_of(cookies->fingerprint(), with, log);
    if (!refusal) {
        lines.add(
            "session", {check_result::doubtful, "unknown state: " + refusal.error().to_string()});
        return without;
    }
    if (*refusal) {
        lines.add(
            "session",
            {check_result::doubtful,
             fmt::format(
                 "disabled until platform-cookies-file changes: {}; open Instagram with this "
                 "account, then export the cookies again",
                 **refusal)});
        return without;
    }
    lines.add("session", {check_result::good, "enabled: " + with.platform_cookies_file});
    return with;
}

/// A platform that does not answer at all has a line of its own.
void check_canary(report& lines, const settings& with, bool is_reachable, const log::logger& log) {
    if (with.canary_link.empty()) {
        lines.add("canary", {check_result::good, "none is set (canary-link)"});
        return;
    }
    if (!is_reachable) {
        lines.add("canary", {check_result::doubtful, "not tried: the platform does not answer"});
        return;
    }
    const auto canary = platform::parse_link(with.canary_link).value();
    bool has_it = false;
    std::vector<std::vector<net::proxy>> routes;
    for (const auto& proxy : with.platform_proxies) routes.push_back({proxy});
    if (routes.empty()) routes.emplace_back();
    for (const auto& resolver : resolvers_of(with)) {
        if (!is_installed(resolver, with)) continue;  // Has a line of its own.
        for (const auto& by : routes) {
            const auto answer = try_canary(resolver, by, canary, with, log);
            has_it = has_it || answer.is == check_result::good;
            const auto name =
                by.empty() ? resolver : platform::routed_name(resolver, by[0].address());
            lines.add("by " + name, answer);
        }
    }
    if (!has_it) {
        lines.add(
            "canary",
            {check_result::doubtful,
             "no resolver has " + with.canary_link +
                 "; perhaps that post is gone: set canary-link to another, and look at "
                 "`reelsd resolve`"});
    }
}

/// Whoever is asked first has to be there; of the others one is told.
void check_models(report& lines, const settings& with, const log::logger& log) {
    media::media_options options;
    options.helper = find_installation(with).media_helper;
    const media::media_client media{options};
    const auto models = analyzers::create(with, "0", media, {}, log);
    if (!models) {
        lines.add("model", bad(models.error()));
        return;
    }
    for (const auto* const one : (*models)->remote()) {
        const auto checked = one->check(deadline::after(model_time_max), std::stop_token{});
        const bool is_wrong = !checked && checked.error().code() == errc::model_misconfigured;
        const auto name = std::string{one->name()};
        lines.add(
            "model",
            checked ? finding{check_result::good, name + ": key and model are right"}
                    : finding{
                          is_wrong ? check_result::bad : check_result::doubtful,
                          name + ": " + checked.error().to_string()});
    }
    if ((*models)->remote().empty())
        lines.add("model", {check_result::good, "local analyzer: no key and no network needed"});
}

}  // namespace

result<void> execute(
    const doctor_command& /*unused*/, const settings& with, const log::logger& log) {
    report lines;
    lines.add("kernel", check_kernel());
    lines.add("data-dir", check_data_dir(with));
    if (serves_tls(with)) lines.add("certificate", check_certificate(with));
    check_database(lines, with, log);
    check_media(lines, with);
    lines.add("sample", check_sample(with));
    lines.add("dictionary", check_dictionary(with));
    const auto without_refused = check_session(lines, with, log);
    const bool is_reachable = check_ways_to_platform(lines, with);
    check_canary(lines, without_refused, is_reachable, log);
    lines.add("yt-dlp", check_yt_dlp(with));
    check_models(lines, with, log);
    if (lines.failures() == 0) return {};
    return error{errc::internal, fmt::format("{} checks failed", lines.failures())};
}

}  // namespace reelsd::app
