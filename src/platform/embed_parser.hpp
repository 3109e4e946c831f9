#pragma once

#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <optional>
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

}  // namespace reelsd::platform
