#pragma once

#include "data_blocks.hpp"
#include "media_reader.hpp"

namespace reelsd::platform {

/// The name of a post's record on embed pages, and of the same in a query that is no more.
inline constexpr const char* embedded_key = "shortcode_media";
inline constexpr const char* retired_key = "xdt_shortcode_media";

/// Whether an object is a post's own record in the shape that embed pages have.
[[nodiscard]] bool is_embedded_media(const document& object);

/// Reads the record of an embed page (platform.md 5, column E); type names may begin with "XDT".
/// `media` is an object. Of a carousel, the slide that `wanted` names, else the first video.
[[nodiscard]] read_media read_embedded_media(const document& media, const link& wanted);

}  // namespace reelsd::platform
