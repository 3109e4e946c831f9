#include "platform_source.hpp"

#include "installation.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/process/find_program.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

namespace reelsd::app {

std::vector<std::string> resolvers_of(const settings& with) {
    if (with.resolvers) return *with.resolvers;
    auto names = platform::source_settings{}.resolvers;
    if (with.platform_cookies_file.empty()) return names;
    const auto before = std::find(names.begin(), names.end(), "yt-dlp");
    names.insert(before, std::string{platform::session_resolver_name});
    return names;
}

platform::source_settings source_settings_of(const settings& with) {
    return {
        .platform_url = with.platform_url,
        .resolvers = resolvers_of(with),
        .yt_dlp_path = with.yt_dlp_path,
        .sandbox = std::filesystem::absolute(find_installation(with).media_helper),
        .cookies_file = with.platform_cookies_file,
        .jail = std::string{media::name_of(with.jail)},
        .profile = with.request_profile,
        .media_hosts = with.media_hosts,
        .allow_private_addresses = with.allow_private_addresses,
        .media_networks = with.media_networks,
        .platform_proxies = with.platform_proxies,
        .media_proxies = with.media_proxies.value_or(with.platform_proxies),
        .outgoing_address = with.outgoing_address,
        .takes_tracks = with.dash,
        .ca_file = with.ca_file,
        .video_bytes_max = static_cast<std::uint64_t>(with.video_bytes_max),
        .sample_path = find_installation(with).sample};
}

std::string platform_host(const settings& with) {
    const auto platform = net::url::parse(with.platform_url);
    invariant(platform.has_value());  // The source has been made of it.
    return std::string{platform->host()};
}

bool is_installed(std::string_view resolver, const settings& with) {
    return resolver != "yt-dlp" ||
           process::find_program(with.yt_dlp_path, process::search_path()).has_value();
}

}  // namespace reelsd::app
