#include "analyzers.hpp"
#include "commands.hpp"
#include "database.hpp"
#include "from_settings.hpp"
#include "stored_model.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/http/tls_identity.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>
#include <reelsd/process/child_run.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
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
/// Upper bound per resolver. Short, because a user is waiting.
constexpr auto canary_time_max = 20s;
/// Includes a cold start of Python.
constexpr auto yt_dlp_time_max = 15s;
constexpr auto media_store_time_max = 15s;
constexpr auto migration_time_max = 10s;
constexpr auto answers_time_max = 5s;
/// Sixteen workers with a video of 100 MiB each, rounded up.
constexpr std::uintmax_t free_bytes_min = std::uintmax_t{2} << 30U;

/// Programs renew certificates a month before they expire.
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

finding good(std::string text) {
    return {check_result::good, std::move(text)};
}

finding doubtful(std::string text) {
    return {check_result::doubtful, std::move(text)};
}

finding bad(std::string text) {
    return {check_result::bad, std::move(text)};
}

finding bad(const error& why) {
    return bad(why.detail().empty() ? std::string{name_of(why.code())} : why.detail());
}

finding check_kernel() {
    const auto checked = process::check_kernel();
    if (!checked) return bad(checked.error());
    utsname system{};
    if (::uname(&system) != 0) return good("Linux");
    return good(fmt::format("{} {}", system.sysname, system.release));
}

finding check_data_dir(const settings& config) {
    std::error_code failure;
    const fs::path folder{config.data_dir};
    fs::create_directories(folder, failure);
    if (failure) return bad(fmt::format("{}: {}", folder.string(), failure.message()));
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        return bad(fmt::format("{} cannot be written", folder.string()));
    }
    const auto space = fs::space(folder, failure);
    if (failure) return bad(fmt::format("{}: {}", folder.string(), failure.message()));
    const auto free_mebibytes = space.available >> 20U;
    const auto is = space.available < free_bytes_min ? check_result::doubtful : check_result::good;
    return {is, fmt::format("{}, {} MiB free", folder.string(), free_mebibytes)};
}

/// The key of the operator. Daemons run without it, but then have no model of the dashboard.
finding check_secret_key(const std::string& file) {
    const auto key = models::sealing_key::load(file);
    if (key) return good(file);
    return doubtful(
        key.error().detail() +
        "; the dashboard cannot store a model, and a stored one is not used");
}

finding check_certificate(const settings& config) {
    const auto loaded =
        http::tls_identity::load({.certificate = config.tls_certificate, .key = config.tls_key});
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
        return good(fmt::format("{} applied", status->applied));
    }
    return doubtful(fmt::format(
        "{} pending, {} functions outdated; `reelsd migrate` applies them",
        status->pending,
        status->outdated_functions.size()));
}

/// Whether the media store can be used.
finding check_objects(const settings& config) {
    const auto store = open_media_store(config);
    if (!store) return good("the database");
    const auto checked = check_media_store(*store, deadline::after(media_store_time_max));
    if (checked) return good(store->name() + " stores, returns and deletes an object");
    return bad(fmt::format("{}: {}", store->name(), checked.error().detail()));
}

finding check_sample(const settings& config) {
    const auto sample = find_installation(config).sample;
    if (fs::exists(sample)) return good(sample.string());
    return doubtful(sample.string() + " is missing: the test link will fail");
}

finding check_dictionary(const settings& config) {
    const auto dictionary = find_installation(config).dictionary;
    const auto opened = model::local_embedder::open(dictionary);
    if (!opened) return bad(opened.error());
    return good(dictionary.string());
}

/// A model in the helper's report: {"path", "loads", "detail" when it does not}.
finding check_model(const json& report, const char* name) {
    const auto state = report.value(name, json::object());
    const auto path = state.value("path", "");
    if (state.value("loads", false)) return good(path);
    return bad(fmt::format("{}: {}", path, state.value("detail", "does not load")));
}

/// The jail in the helper's report. Without the filter, a compromised decoder has all system calls:
/// that is bad even if the operator accepts it.
finding check_jail(const json& report) {
    const auto jail = media::jail_report_from_json(report.value("jail", json::object()));
    if (!jail) return bad(jail.error());
    const auto missing = jail->layers_missing();
    if (!jail->refusal.empty()) return bad("decodes nothing: " + jail->refusal);
    if (!jail->possible.empty()) {
        return bad(
            fmt::format("a video could {}; missing: {}", fmt::join(jail->possible, ", "), missing));
    }
    if (!jail->holds("system_call_filter")) {
        return bad("decodes without the system-call filter (jail = best-effort)");
    }
    if (missing.empty()) return good("all layers are active");
    const auto is = jail->is_weak() ? check_result::doubtful : check_result::good;
    return {is, fmt::format("missing: {} ({})", missing, fmt::join(jail->reasons, "; "))};
}

/// Whether the platform answers, directly or through a proxy. A proxy that does not connect is bad:
/// every request through it fails.
finding check_platform(const settings& config, const std::optional<net::proxy>& by_proxy) {
    const auto platform = net::url::parse(config.platform_url);
    if (!platform) return bad(platform.error());
    const net::http_client client{
        {.policy = platform::lookup_policy(source_settings_of(config), *platform),
         .by_proxy = by_proxy,
         .outgoing_address = config.outgoing_address,
         .ca_file = config.ca_file}};
    net::http_request request;
    request.method = net::http_method::head;
    request.url = config.platform_url + "/";
    const auto answer = client.send(request, deadline::after(platform_time_max), std::stop_token{});
    if (answer) {
        return good(
            fmt::format("{} is reachable (status {})", config.platform_url, answer->status()));
    }
    const auto& why = answer.error();
    if (why.code() == errc::proxy_failed)
        return bad(fmt::format("proxy failure: {}", why.detail()));
    if (why.code() == errc::internal) return bad(why.detail());  // No outgoing address.
    return doubtful(fmt::format("{}: {}", config.platform_url, why.to_string()));
}

/// Whether a resolver finds the canary, an existing post. `by_proxies` has at most one proxy.
finding try_canary(
    const std::string& resolver, std::vector<net::proxy> by_proxies, const platform::link& canary,
    const settings& config, const log::logger& log) {
    auto options = source_settings_of(config);
    options.resolvers = {resolver};
    options.platform_proxies = std::move(by_proxies);
    const auto source = platform::source::create(options, log);
    if (!source) return bad(source.error());
    platform::no_rate_limit pace;
    const auto post =
        (*source)->resolve(canary, pace, deadline::after(canary_time_max), std::stop_token{});
    if (post) return good("has the post by " + post->author);
    const platform::unresolved failure = post.error();
    return doubtful(failure.why.to_string());
}

/// What the sandbox of yt-dlp does not prevent on this kernel; see docs/security.md.
std::string gaps_in_sandbox(const settings& config) {
    const media::media_client client{media_options_of(config)};
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

/// yt-dlp is optional unless it is the only resolver.
finding check_yt_dlp(const settings& config) {
    const auto program = process::find_program(config.yt_dlp_path, process::search_path());
    if (!program) {
        const bool is_needed = resolvers_of(config) == std::vector<std::string>{"yt-dlp"};
        return is_needed ? bad(config.yt_dlp_path + " is not installed")
                         : good("not installed (optional)");
    }
    const auto source = source_settings_of(config);
    const auto version = platform::yt_dlp_version(
        {.program = *program, .sandbox = source.sandbox, .jail = source.jail},
        deadline::after(yt_dlp_time_max),
        std::stop_token{});
    if (!version) {
        return doubtful(fmt::format("{}: {}", program->string(), version.error().detail()));
    }
    if (platform::is_outdated_yt_dlp(*version)) {
        return doubtful(fmt::format(
            "{} is too old: before {} nothing works any more",
            *version,
            platform::yt_dlp_version_min));
    }
    return good(fmt::format("{} {}{}", program->string(), *version, gaps_in_sandbox(config)));
}

class report {
public:
    void add(std::string_view subject, const finding& finding) {
        const char* mark = "ok";
        if (finding.is == check_result::doubtful) mark = "warn";
        if (finding.is == check_result::bad) mark = "FAIL";
        failures_ += finding.is == check_result::bad ? 1 : 0;
        fmt::print("{:<5} {:<14} {}\n", mark, subject, finding.text);
    }

    [[nodiscard]] int failures() const noexcept { return failures_; }

private:
    int failures_ = 0;
};

/// Adds a line for each resolver in use that has never had an answer on this installation.
void check_answers(
    report& lines, const settings& config, const database& store, const log::logger& log) {
    std::vector<pacing::resolver_state> states;
    const auto read = [&](db::pool& pool) -> awaitable<result<void>> {
        pacing::pace_store paces{pool};
        states = co_await paces.list(platform_host(config), deadline::after(answers_time_max));
        co_return result<void>{};
    };
    if (const auto done = with_pool(store, log, read); !done) {
        lines.add("answers", bad(done.error()));
        return;
    }
    const auto used = resolvers_in_use(config);
    std::erase_if(states, [&used](const pacing::resolver_state& state) {
        return !platform::is_in_use(state.resolver, used);
    });
    const bool is_silent = pacing::has_never_answered(states);
    for (const auto& state : states) {
        if (!state.has_never_answered()) continue;
        lines.add(
            "by " + state.resolver,
            doubtful(fmt::format(
                "{} has never answered this server{}",
                platform_host(config),
                is_silent ? " and may refuse its address; set a proxy (platform-proxy) or a "
                            "session (platform-cookies-file), or upload videos"
                          : " by this resolver; others work")));
    }
}

/// Whether submissions can be stored: a replica answers as well.
result<void> check_submissions(const database& store, const log::logger& log) {
    return with_pool(store, log, [](db::pool& pool) -> awaitable<result<void>> {
        jobs::job_store jobs{pool};
        co_await jobs.check_submissions(deadline::after(answers_time_max));
        co_return result<void>{};
    });
}

/// Returns the stored model, if there is one.
std::optional<models::sealed_model> check_database(
    report& lines, const settings& config, const log::logger& log) {
    const auto store = database::open(config, log);
    if (!store) {
        lines.add("database", bad(store.error()));
        lines.add("migrations", bad("not checked: there is no database"));
        return std::nullopt;
    }
    const bool is_private = (*store)->cluster() != nullptr;
    const auto migrations = check_migrations(**store, log);
    const bool is_migrated = migrations.is == check_result::good;
    const auto stores = is_migrated ? check_submissions(**store, log) : result<void>{};
    const auto answers = good(is_private ? "private database is running" : "answers");
    lines.add("database", stores ? answers : bad(stores.error()));
    lines.add("migrations", migrations);
    if (!is_migrated) return std::nullopt;
    check_answers(lines, config, **store, log);
    const auto stored = read_stored_model(**store, log);
    if (!stored) lines.add("stored model", doubtful(stored.error().to_string()));
    return stored ? *stored : std::nullopt;
}

void check_media(report& lines, const settings& config) {
    const auto options = media_options_of(config);
    const media::media_client client{options};
    const auto helper = client.doctor(deadline::after(helper_time_max), std::stop_token{});
    if (!helper) {
        lines.add("media helper", bad(helper.error()));
        return;
    }
    lines.add("media helper", good(options.helper.string()));
    lines.add("jail", check_jail(*helper));
    lines.add("text model", check_model(*helper, "text_models"));
    lines.add("speech model", check_model(*helper, "speech_models"));
}

/// Every proxy of any setting, once.
std::vector<net::proxy> all_proxies(const settings& config) {
    auto listed = config.platform_proxies;
    if (config.media_proxies)
        listed.insert(listed.end(), config.media_proxies->begin(), config.media_proxies->end());
    for (const auto& proxy : {config.model_proxy, config.telegram_proxy, config.webhook_proxy}) {
        if (proxy) listed.push_back(*proxy);
    }
    std::vector<net::proxy> distinct;
    for (const auto& proxy : listed) {
        const auto same = [&](const net::proxy& other) { return other.url() == proxy.url(); };
        if (std::none_of(distinct.begin(), distinct.end(), same)) distinct.push_back(proxy);
    }
    return distinct;
}

/// Checks each route to the platform. Returns whether any of them works.
bool check_routes_to_platform(report& lines, const settings& config) {
    bool is_reachable = false;
    if (config.platform_proxies.empty()) {
        const auto direct = check_platform(config, std::nullopt);
        lines.add("platform", direct);
        is_reachable = direct.is == check_result::good;
    }
    for (const auto& proxy : all_proxies(config)) {
        const auto by_proxy = check_platform(config, proxy);
        lines.add("proxy " + proxy.address(), by_proxy);
        is_reachable = is_reachable || by_proxy.is == check_result::good;
    }
    return is_reachable;
}

/// Why the platform has refused the session of the file; empty if it has not.
result<std::optional<std::string>> refusal_of(
    const std::string& fingerprint, const settings& config, const log::logger& log) {
    std::optional<std::string> refusal;
    const auto resolver = session_resolver_of(config);
    const auto find = [&](db::pool& pool) -> awaitable<result<void>> {
        pacing::refused_session_store refusals{pool};
        const auto by = deadline::after(migration_time_max);
        refusal = co_await refusals.find(resolver, fingerprint, by);
        co_return result<void>{};
    };
    const auto store = database::open(config, log);
    if (!store) return store.error();
    // Migrations are applied only by commands that need them.
    if (check_migrations(**store, log).is != check_result::good)
        return error{errc::database_unavailable, "the schema of the database is not up to date"};
    if (const auto found = with_pool(**store, log, find); !found) return found.error();
    return refusal;
}

/// Reports settings of the platform with which no daemon starts, except the session's file.
void check_source(report& lines, const settings& config, const log::logger& log) {
    const auto source = platform::source::create(source_settings_of(config), log);
    if (source || source.error().detail().starts_with("platform-cookies-file: ")) return;
    lines.add("settings", bad(source.error()));
}

/// Reports on the session. Returns the settings without it when it must not be used.
settings check_session(report& lines, const settings& config, const log::logger& log) {
    if (config.platform_cookies_file.empty()) return config;
    auto without = config;
    auto resolvers = resolvers_of(config);
    std::erase(resolvers, platform::session_resolver_name);
    without.resolvers = std::move(resolvers);
    without.platform_cookies_file.clear();
    const auto platform = net::url::parse(config.platform_url);
    if (!platform) return without;  // Another line reports it.
    const auto cookies = platform::read_session_file(
        platform::session_settings_of(source_settings_of(config), *platform));
    if (!cookies) {
        lines.add("session", bad(cookies.error()));
        return without;
    }
    const auto refusal = refusal_of(cookies->fingerprint(), config, log);
    if (!refusal) {
        lines.add("session", doubtful("unknown state: " + refusal.error().to_string()));
        return without;
    }
    if (*refusal) {
        lines.add(
            "session",
            doubtful(fmt::format(
                "disabled until platform-cookies-file changes: {}; open Instagram with this "
                "account, then export the cookies again",
                **refusal)));
        return without;
    }
    lines.add("session", good("enabled: " + config.platform_cookies_file));
    return config;
}

/// Tries the canary with each resolver and route.
void check_canary(
    report& lines, const settings& config, bool is_reachable, const log::logger& log) {
    if (config.canary_link.empty()) {
        lines.add("canary", good("none is set (canary-link)"));
        return;
    }
    if (!is_reachable) {
        lines.add("canary", doubtful("not tried: the platform does not answer"));
        return;
    }
    const auto canary = platform::parse_link(config.canary_link).value();
    bool is_resolved = false;
    std::vector<std::vector<net::proxy>> routes;
    for (const auto& proxy : config.platform_proxies) routes.push_back({proxy});
    if (routes.empty()) routes.emplace_back();
    for (const auto& resolver : resolvers_of(config)) {
        if (!is_installed(resolver, config)) continue;  // Another line reports it.
        for (const auto& by : routes) {
            const auto answer = try_canary(resolver, by, canary, config, log);
            is_resolved = is_resolved || answer.is == check_result::good;
            const auto name =
                by.empty() ? resolver : platform::routed_name(resolver, by[0].address());
            lines.add("by " + name, answer);
        }
    }
    if (!is_resolved) {
        lines.add(
            "canary",
            doubtful(
                "no resolver found " + config.canary_link +
                "; perhaps that post was deleted: set canary-link to another one, and check "
                "`reelsd resolve`"));
    }
}

finding model_failure(const std::string& name, const error& why) {
    auto text = name + ": " + why.to_string();
    const bool is_wrong = why.code() == errc::model_misconfigured;
    return is_wrong ? bad(std::move(text)) : doubtful(std::move(text));
}

finding check_speech_server(const model::speech_transcriber& speech) {
    const auto name = std::string{speech.name()};
    const auto checked = speech.check(deadline::after(model_time_max), std::stop_token{});
    if (!checked) return model_failure(name, checked.error());
    return good(
        *checked == model::server_check::confirmed
            ? name + ": key and model are valid"
            : name + ": it answers; it does not list its models, so the model was not checked");
}

/// The settings with the stored model, if it can be used.
settings with_stored_model(
    report& lines, const settings& config, const std::optional<models::sealed_model>& sealed) {
    if (!sealed) return config;
    const auto stored = open_sealed(config, *sealed);
    if (!stored) {
        lines.add("stored model", doubtful(stored.error().detail()));
        return config;
    }
    if (choose_analyzer(config)) {
        lines.add("stored model", good("not used: the settings choose the analyzer"));
        return config;
    }
    auto merged = with_stored_model(config, *stored);
    if (merged) return *std::move(merged);
    lines.add("stored model", bad(merged.error()));
    return config;
}

void check_models(report& lines, const settings& config, const log::logger& log) {
    const media::media_client media{media_options_of(config)};
    const auto models = analyzers::create(config, "0", media, {}, log);
    if (!models) {
        lines.add("model", bad(models.error()));
        return;
    }
    if (const auto* const speech = (*models)->speech_server())
        lines.add("speech server", check_speech_server(*speech));
    for (const auto* const analyzer : (*models)->remote()) {
        const auto name = std::string{analyzer->name()};
        const auto checked = analyzer->check(deadline::after(model_time_max), std::stop_token{});
        lines.add(
            "model",
            checked ? good(name + ": key and model are valid")
                    : model_failure(name, checked.error()));
    }
    if ((*models)->remote().empty())
        lines.add("model", good("local analyzer: no key and no network needed"));
}

}  // namespace

result<void> execute(const doctor_command&, const settings& config, const log::logger& log) {
    report lines;
    lines.add("kernel", check_kernel());
    lines.add("data-dir", check_data_dir(config));
    if (!config.secret_key_file.empty())
        lines.add("secret key", check_secret_key(config.secret_key_file));
    if (serves_tls(config)) lines.add("certificate", check_certificate(config));
    const auto stored = check_database(lines, config, log);
    check_media(lines, config);
    lines.add("media store", check_objects(config));
    lines.add("sample", check_sample(config));
    lines.add("dictionary", check_dictionary(config));
    check_source(lines, config, log);
    const auto config_for_canary = check_session(lines, config, log);
    const bool is_reachable = check_routes_to_platform(lines, config);
    check_canary(lines, config_for_canary, is_reachable, log);
    lines.add("yt-dlp", check_yt_dlp(config));
    check_models(lines, with_stored_model(lines, config, stored), log);
    const auto count = lines.failures();
    if (count == 0) return {};
    return error{errc::internal, fmt::format("{} check{} failed", count, count == 1 ? "" : "s")};
}

}  // namespace reelsd::app
