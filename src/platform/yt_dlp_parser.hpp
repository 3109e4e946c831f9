#pragma once

#include "answer_parser.hpp"
#include <reelsd/platform/resolver.hpp>

#include <string_view>

namespace reelsd::platform {

/// Why yt-dlp has printed no post, by its exit status and its standard error. The only mapping of
/// its messages. Pure.
[[nodiscard]] no_post classify_yt_dlp(int status, std::string_view error_output);

/// The version in the output of `yt-dlp --version` ("2026.08.19", or with a build number after
/// another dot); empty for any other output. Pure.
[[nodiscard]] std::string_view yt_dlp_version_in(std::string_view output);

}  // namespace reelsd::platform
