#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reelsd::platform {

/// A file on the platform's media servers. Its signed URL is valid for a day or two; never log it.
struct remote_media {
    std::string url;
    /// The sound, if it is a separate file; empty: it is in the video's file, or there is none.
    std::string sound_url = {};
};

/// A file on this machine (the sample reel).
struct local_media {
    std::filesystem::path file;
};

/// The slide of a carousel that was chosen.
struct carousel_position {
    int index = 1;  ///< From 1.
    int count = 1;
};

/// Data of a public post. Values that the platform did not report are empty, never zero.
struct post {
    std::string code;
    std::string url;  ///< Canonical link.

    std::string author;  ///< User name; "" if unknown.
    std::optional<std::string> author_name;
    std::optional<bool> author_verified;

    std::optional<std::string> caption;
    std::vector<std::string> hashtags;  ///< From the caption, without sign, each once.
    std::vector<std::string> mentions;  ///< Likewise.

    std::optional<std::int64_t> like_count;
    std::optional<std::int64_t> comment_count;
    std::optional<std::int64_t> view_count;

    std::optional<time_point> posted_at;
    std::optional<std::string> thumbnail_url;
    std::optional<std::string> location;
    std::optional<std::string> music_title;
    std::optional<std::string> music_artist;

    std::variant<remote_media, local_media> media;
    std::optional<carousel_position> carousel;
    std::string resolver;  ///< The name of the resolver that found it; "" for test links.
};

/// The section `platform_meta` of a result (docs/openapi.yaml). Pure.
[[nodiscard]] json platform_meta_of(const post& subject);

/// The words of `caption` after # (letters, digits and underscores of any script, at most 150) and
/// after @ (user names, at most 30 characters, without trailing dots), in order, each once, in
/// Unicode NFC. `caption` is valid UTF-8. Pure.
[[nodiscard]] std::vector<std::string> hashtags_of(std::string_view caption);
[[nodiscard]] std::vector<std::string> mentions_of(std::string_view caption);

}  // namespace reelsd::platform
