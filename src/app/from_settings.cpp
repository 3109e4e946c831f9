#include "from_settings.hpp"

#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/domain/jobs/failure_text.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/resolver.hpp>
#include <reelsd/process/child_run.hpp>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ranges>
#include <stop_token>
#include <system_error>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// Upper bound on one statement.
constexpr std::chrono::seconds statement_time_max{5};

/// Empty if there is no such file, or if it contains "max", which is no limit.
std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream stream{file};
    std::string text;
    stream >> text;
    return parse_number<std::uint64_t>(text);
}

void lower(std::optional<std::uint64_t>& least, std::optional<std::uint64_t> other) {
    if (other && (!least || *other < *least)) least = other;
}

/// The lowest limit of the group and its parents. In a container the group's name may not exist,
/// and only the outermost group is visible.
std::optional<std::uint64_t> least_along(const fs::path& mounted, fs::path group) {
    std::optional<std::uint64_t> least;
    for (;;) {
        const auto folder = mounted / group.relative_path();
        for (const auto* name : {"memory.max", "memory.high", "memory.limit_in_bytes"}) {
            lower(least, number_in(folder / name));
        }
        if (!group.has_relative_path()) return least;
        group = group.parent_path();
    }
}

/// The limit by one line: "4:memory:/group" in version 1, "0::/group" in version 2.
std::optional<std::uint64_t> bytes_max_of(std::string_view line, const fs::path& mounted) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) return std::nullopt;
    // In version 1, controllers may share a hierarchy: "5:cpu,memory:/group".
    const auto kinds = "," + std::string{line.substr(first + 1, second - first - 1)} + ",";
    const fs::path group{line.substr(second + 1)};
    if (!group.is_absolute()) return std::nullopt;
    if (kinds.find(",memory,") != kinds.npos) return least_along(mounted / "memory", group);
    if (kinds != ",,") return std::nullopt;
    auto least = least_along(mounted, group);
    lower(least, least_along(mounted / "unified", group));
    return least;
}

/// Empty if the file cannot be read.
std::string text_of(const fs::path& file) {
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

std::uint64_t machine_bytes() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages < 0 || page_bytes < 0) return 0;  // Not known.
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace

installation installation_of(const std::filesystem::path& program, const settings& config) {
    const auto folder = program.parent_path();
    const auto prefix = folder.parent_path();
    const auto share = prefix / "share" / "reelsd";
    // Programs below /usr are configured in /etc (FHS 3.0, 4.1).
    const auto outside = prefix == "/usr" ? prefix.root_path() : prefix;
    auto helper = folder / "reelsd-media";
    std::error_code unknown;
    // The installed one is not in PATH, because users do not run it.
    const auto installed = prefix / "libexec" / "reelsd" / "reelsd-media";
    if (std::filesystem::exists(installed, unknown)) helper = installed;
    if (!config.media_helper.empty()) helper = config.media_helper;
    return {
        .media_helper = helper,
        .sample = share / "sample.mp4",
        .dictionary = share / "wordnet.bin",
        .model_prices = share / "model-prices.json",
        .configuration = outside / "etc" / "reelsd" / "reelsd.conf"};
}

installation find_installation(const settings& config) {
    std::error_code failure;
    auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    // Without /proc, relative paths still name the missing files in messages.
    if (failure) program = "bin/reelsd";
    return installation_of(program, config);
}

media::media_options media_options_of(const settings& config) {
    media::media_options options;
    options.helper = find_installation(config).media_helper;
    options.seconds_max = config.video_seconds_max.count();
    options.text_models = config.text_models_dir;
    options.speech_models = config.speech_models_dir;
    options.jail = config.jail;
    return options;
}

std::vector<std::string> resolvers_of(const settings& config) {
    if (config.resolvers) return *config.resolvers;
    auto names = platform::source_settings{}.resolvers;
    if (config.platform_cookies_file.empty()) return names;
    const auto before = std::find(names.begin(), names.end(), "yt-dlp");
    names.insert(before, std::string{platform::session_resolver_name});
    return names;
}

platform::source_settings source_settings_of(const settings& config) {
    return {
        .platform_url = config.platform_url,
        .resolvers = resolvers_of(config),
        .yt_dlp_path = config.yt_dlp_path,
        .sandbox = std::filesystem::absolute(find_installation(config).media_helper),
        .cookies_file = config.platform_cookies_file,
        .jail = std::string{media::name_of(config.jail)},
        .profile = config.request_profile,
        .media_hosts = config.media_hosts,
        .allow_private_addresses = config.allow_private_addresses,
        .media_networks = config.media_networks,
        .platform_proxies = config.platform_proxies,
        .media_proxies = config.media_proxies.value_or(config.platform_proxies),
        .outgoing_address = config.outgoing_address,
        .takes_tracks = config.dash,
        .ca_file = config.ca_file,
        .video_bytes_max = static_cast<std::uint64_t>(config.video_bytes_max),
        .sample_path = find_installation(config).sample};
}

std::string platform_host(const settings& config) {
    const auto platform = net::url::parse(config.platform_url);
    invariant(platform.has_value());  // The source was created from it.
    return std::string{platform->host()};
}

bool is_installed(std::string_view resolver, const settings& config) {
    return resolver != "yt-dlp" ||
           process::find_program(config.yt_dlp_path, process::search_path()).has_value();
}

std::vector<std::string> resolvers_in_use(const settings& config) {
    auto source = source_settings_of(config);
    const auto is_missing = [&](const std::string& name) { return !is_installed(name, config); };
    std::erase_if(source.resolvers, is_missing);
    return platform::routed_resolvers(source);
}

pacing::paced_resolver session_resolver_of(const settings& config) {
    for (const auto& name : platform::routed_resolvers(source_settings_of(config))) {
        if (platform::resolver_in(name) == platform::session_resolver_name)
            return {.host = platform_host(config), .resolver = name};
    }
    return {
        .host = platform_host(config), .resolver = std::string{platform::session_resolver_name}};
}

result<std::optional<std::string>> shared_session_record::refusal_of(
    const std::string& fingerprint, deadline by) {
    const auto until = by.at_most(statement_time_max);
    return wait_for(loop_, store_.find(resolver_, fingerprint, until), until);
}

result<platform::refusal_news> shared_session_record::refuse(
    const std::string& fingerprint, std::string_view reason, deadline by) {
    const auto until = by.at_most(statement_time_max);
    const auto is_first =
        wait_for(loop_, store_.add(resolver_, fingerprint, std::string{reason}, until), until);
    if (!is_first) return is_first.error();
    return *is_first ? platform::refusal_news::first : platform::refusal_news::known;
}

std::unique_ptr<net::s3_store> open_media_store(const settings& config) {
    if (!config.bucket) return nullptr;
    return std::make_unique<net::s3_store>(net::s3_settings{
        .endpoint = config.s3_endpoint,
        .bucket = config.bucket->name,
        .prefix = config.bucket->prefix,
        .credentials = config.s3,
        .ca_file = config.ca_file});
}

awaitable<result<std::vector<std::byte>>> read_object(
    const net::s3_store* store, async::offload_pool& threads, jobs::object_range part) {
    // Not an outage: the object is in a store of earlier settings.
    if (store == nullptr) co_return error{errc::not_found, "no media store is configured"};
    const auto by = deadline::after(object_time_max);
    const auto get = [&] {
        return store->get(
            part.object,
            static_cast<std::uint64_t>(part.offset),
            static_cast<std::uint64_t>(part.bytes),
            by,
            std::stop_token{});
    };
    co_return co_await threads.run(by, get);
}

result<void> check_media_store(const net::s3_store& store, deadline by) {
    // Always the same key: a check that is interrupted leaves at most one object.
    constexpr std::string_view key = "reelsd-doctor";
    constexpr std::string_view text = "reelsd";
    const std::stop_token never;
    net::s3_content content{.sha256 = sha256_hex(text), .content_type = "text/plain"};
    content.body.add_text(std::string{text});
    if (const auto put = store.put(key, content, by, never); !put) return put.error();
    const auto got = store.get(key, 0, text.size(), by, never);
    if (!got) return got.error();
    return store.remove(key, by, never);
}

std::optional<std::uint64_t> control_group_bytes_max(
    std::string_view membership, const fs::path& mounted) {
    std::optional<std::uint64_t> least;
    for (const auto line : std::views::split(membership, '\n')) {
        lower(least, bytes_max_of({line.begin(), line.end()}, mounted));
    }
    return least;
}

std::optional<std::uint64_t> total_memory_bytes(std::string_view meminfo) {
    constexpr std::string_view name = "MemTotal:";
    const auto place = meminfo.find(name);
    if (place == meminfo.npos) return std::nullopt;
    const auto value = trimmed(meminfo.substr(place + name.size()));
    const auto kibibytes = parse_number<std::uint64_t>(value.substr(0, value.find(' ')));
    constexpr std::uint64_t kibibyte = 1024;
    if (!kibibytes || *kibibytes > UINT64_MAX / kibibyte) return std::nullopt;
    return *kibibytes * kibibyte;
}

std::uint64_t usable_memory_bytes() {
    std::optional<std::uint64_t> least = machine_bytes();
    lower(least, total_memory_bytes(text_of("/proc/meminfo")));
    lower(least, control_group_bytes_max(text_of("/proc/self/cgroup"), "/sys/fs/cgroup"));
    return *least;
}

std::size_t usual_reel_cache_bytes_max(std::uint64_t usable_bytes) noexcept {
    constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;
    constexpr std::uint64_t part = 16;
    return std::clamp(usable_bytes / part, 64 * mebibyte, 1024 * mebibyte);
}

pacing::pace pace_of(const settings& config) {
    return {
        .interval = config.platform_interval,
        .tries_per_hour = config.platform_lookups_per_hour,
        .try_time = bounds::resolve_time_max,
        .cooldown_first = config.platform_cooldown};
}

jobs::retry_policy retry_policy_of(const settings& config) {
    return {
        .attempts_max = config.attempts_max,
        .base = config.retry_base,
        .video_seconds_max = config.video_seconds_max,
        .video_bytes_max = config.video_bytes_max};
}

std::optional<jobs::platform_line> platform_line_of(const settings& config) {
    if (config.platform_interval <= seconds_f{0}) return std::nullopt;
    const auto pace = pace_of(config);
    return jobs::platform_line{
        .host = platform_host(config),
        .resolvers = resolvers_in_use(config),
        .interval = pace.interval,
        .tries_per_hour = pace.tries_per_hour,
        .try_time = pace.try_time,
        .heeds_cooldown = pace.cooldown_first > seconds_f{0},
        .cooldown_wait_max = retry_policy_of(config).cooldown_wait_max,
        .cooldown_text = jobs::cooldown_text(errc::platform_rate_limited, "{minutes}"),
        .unanswered_text = jobs::unanswered_text(errc::platform_rate_limited)};
}

}  // namespace reelsd::app
