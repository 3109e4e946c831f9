#include "platform_source.hpp"

#include "installation.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/resolver.hpp>
#include <reelsd/process/child_run.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

namespace reelsd::app {
namespace {

/// Upper bound on one statement.
constexpr std::chrono::seconds statement_time_max{5};

}  // namespace

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

}  // namespace reelsd::app
