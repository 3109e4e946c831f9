#pragma once

#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>
#include <reelsd/platform/resolver.hpp>

#include <optional>
#include <string_view>

namespace reelsd::platform {

/// What yt-dlp's JSON says.
struct parsed_yt_dlp {
    answer_media media = answer_media::absent;
    /// With answer_media::video.
    std::optional<post> subject = {};
};

/// Reads what `yt-dlp -J` prints of a post, a carousel's entries among it. Its own choice of a
/// format does not count: of those that have sound and picture in one file, the largest is taken.
/// absent: no JSON, null, or null for the slide that is wanted; then the error output says why.
/// Any input is fine; cost is linear. Pure. Source: platform.md 6.
[[nodiscard]] parsed_yt_dlp parse_yt_dlp(std::string_view output, const link& wanted);

/// Why yt-dlp has printed no post, by its exit status and what it wrote to standard error. The one
/// place where its words become a cause. Pure. Source: platform.md 6.
[[nodiscard]] no_post classify_yt_dlp(int status, std::string_view error_output);

/// Earlier ones ask what the platform does not answer any more.
inline constexpr std::string_view yt_dlp_version_min = "2026.06.28";

/// The version that `yt-dlp --version` prints ("2026.08.19", or with a build's number behind a
/// further dot); empty when that is none.
[[nodiscard]] std::string_view yt_dlp_version_in(std::string_view output);

/// Whether `version`, of yt_dlp_version_in(), no longer works.
[[nodiscard]] bool is_outdated_yt_dlp(std::string_view version);

}  // namespace reelsd::platform
