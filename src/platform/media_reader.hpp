#pragma once

#include "data_blocks.hpp"
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace reelsd::platform {

/// A media object's verdict: photo, video_without_url, unreadable, or video or video_in_tracks with
/// the post.
struct read_media {
    answer_media what = answer_media::unreadable;
    std::optional<post> subject = {};
};

/// Whether an object has what a post's own record has and a mention of it in a list has not.
[[nodiscard]] bool has_media_fields(const document& object);

/// Reads the record that pages and the mobile API share (platform.md 5, columns P and W).
/// `media` is an object. Of a carousel, the slide that `wanted` names, else the first video.
[[nodiscard]] read_media read_media_object(const document& media, const link& wanted);

// What both shapes of records share.

/// Whether it is of http or https, and printable ASCII without blanks. Not whether it parses.
[[nodiscard]] bool is_http_url(const std::string& text);

/// Empty when the seconds since 1970 are missing or no time of a post.
[[nodiscard]] std::optional<time_point> posted_at(std::optional<std::int64_t> seconds);

/// The caption, and what it mentions.
void put_caption(post& subject, std::optional<std::string> caption);

/// One of the files that a video is to be had as, picture and sound in one.
struct video_version {
    std::string url;
    std::int64_t area = 0;      ///< In pixels; 0: unknown, as it often is.
    bool is_preferred = false;  ///< The one to take of several that are as large.
};

/// `width` times `height` of an object, 0 when one is missing.
[[nodiscard]] std::int64_t area_at(const document& object);

[[nodiscard]] bool is_better(
    const video_version& candidate, const std::optional<video_version>& best);

/// The slide that the link names, from 0; empty when it names none, or one past `count`.
[[nodiscard]] std::optional<std::size_t> named_slide(std::size_t count, const link& wanted);

/// The name of a post's record on embed pages, and of the same in a query that is no more.
inline constexpr const char* embedded_key = "shortcode_media";
inline constexpr const char* retired_key = "xdt_shortcode_media";

/// Whether an object is a post's own record in the shape that embed pages have.
[[nodiscard]] bool is_embedded_media(const document& object);

/// Reads the record of an embed page (platform.md 5, column E); type names may begin with "XDT".
/// `media` is an object. Of a carousel, the slide that `wanted` names, else the first video.
[[nodiscard]] read_media read_embedded_media(const document& media, const link& wanted);

}  // namespace reelsd::platform
