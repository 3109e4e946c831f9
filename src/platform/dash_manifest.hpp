#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

/// The tracks of a video that is also, or only, served as files of picture and of sound.
struct dash_tracks {
    std::string picture_url;
    std::string sound_url;  ///< Empty: the video is silent.
};

/// The best tracks that a manifest (MPD, XML) names: H.264 before anything else, since everybody
/// decodes it, then the largest picture, then the most bits; of sound the most bits. Whole files
/// alone, no segments. Empty when it is no manifest or has no picture. Any input is fine; cost is
/// linear. Pure. Source: platform.md 4.
[[nodiscard]] std::optional<dash_tracks> best_tracks(std::string_view manifest);

}  // namespace reelsd::platform
