#pragma once

#include <reelsd/platform/answer_outcome.hpp>

#include <string>
#include <string_view>

namespace reelsd::platform {

/// What the elements of an embed page show, for pages that come without data.
struct embedded_element {
    /// absent, video_without_url (there is a player, but it may not play here) or video.
    answer_media media = answer_media::absent;
    std::string url = {};     ///< With a video.
    std::string author = {};  ///< User name; "" if unknown.
};

/// Looks for `<video class="EmbeddedMediaVideo" src="...">`, `class="UsernameText"` and
/// `data-media-type="GraphVideo"`. Pure.
[[nodiscard]] embedded_element embedded_element_of(std::string_view html);

}  // namespace reelsd::platform
