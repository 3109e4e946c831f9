#pragma once

#include "data_blocks.hpp"
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/page_outcome.hpp>
#include <reelsd/platform/post.hpp>

#include <optional>

namespace reelsd::platform {

/// A media object's verdict: photo, video_without_url, unreadable, or video with the post.
struct read_media {
    page_media what = page_media::unreadable;
    std::optional<post> subject = {};
};

/// Whether an object has what a post's own record has and a mention of it in a list has not.
[[nodiscard]] bool has_media_fields(const document& object);

/// Reads the record that pages and the mobile API share (platform.md 5, columns P and W).
/// `media` is an object. Of a carousel, the slide that `wanted` names, else the first video.
[[nodiscard]] read_media read_media_object(const document& media, const link& wanted);

}  // namespace reelsd::platform
