#pragma once

#include "settings.hpp"
#include <reelsd/platform/source.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace reelsd::app {

/// The resolvers to use, in order: the setting, or its default, which includes the session if there
/// is one.
[[nodiscard]] std::vector<std::string> resolvers_of(const settings& config);

/// The settings that concern the platform, as its source takes them; without observers.
[[nodiscard]] platform::source_settings source_settings_of(const settings& config);

/// The platform's host, by which it is paced: its own limits are by host as well.
[[nodiscard]] std::string platform_host(const settings& config);

/// Whether a resolver can run on this machine: yt-dlp is a program that most people do not have.
[[nodiscard]] bool is_installed(std::string_view resolver, const settings& config);

}  // namespace reelsd::app
