#pragma once

#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

/// What a post's page for embedding says.
struct parsed_embed {
    answer_media media = answer_media::absent;
    /// With answer_media::video.
    std::optional<post> subject = {};
};

/// Reads the record of an embed page, wherever that has it: as JSON inside of JSON (`contextJSON`),
/// as an argument of `__additionalDataLoaded`, or, when there is no record, the address of the
/// video in the script's text or in its element. A video without an address may not be embedded.
/// Only data whose code is the wanted one is the post's; elements name none and count only without
/// any data. Any input is fine; cost is linear. Pure. Source: platform.md 2D.
[[nodiscard]] parsed_embed parse_embed(std::string_view html, const link& wanted);

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
