#pragma once

#include <reelsd/base/request_error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

enum class link_kind : std::uint8_t {
    post,   ///< `code` is the post's short code.
    share,  ///< `code` is a share token; source::expand() looks up the post.
};

/// A link to a post, reduced to what identifies it, without tracking parameters.
struct link {
    link_kind kind = link_kind::post;
    /// 5-48 of [A-Za-z0-9_-]; letter case matters.
    std::string code = {};
    /// Slide of a carousel, from 1.
    std::optional<int> img_index = {};
    /// Absolute path: "/reel/<code>/" for every post; for a share link "/share/reel/<x>/" or
    /// similar.
    std::string path = {};

    /// "https://www.instagram.com/reel/<code>/".
    [[nodiscard]] std::string canonical_url() const { return "https://www.instagram.com" + path; }
    /// Whether it is one of the test links of docs/openapi.yaml, which never reach the platform.
    [[nodiscard]] bool is_test() const;
    /// The error of a test link; nothing for the sample reel and for other links. Not to be
    /// retried.
    [[nodiscard]] std::optional<errc> test_error() const;

    friend bool operator==(const link&, const link&) = default;
};

/// Accepts the links that POST /reels/analyze documents (docs/openapi.yaml). Otherwise
/// Errors, with the text for the client:
///   `URL must be an instagram.com link`                    not an http(s) URL, over 2,048
///                                                          characters, control characters, user
///                                                          info, a port
///   `URL must be an instagram.com link, got "tiktok.com"`  another host
///   `URL must be a reel link: instagram.com/reel/<code> or instagram.com/p/<code>`
/// Ignores spaces around the link; any other white space is a control character. The caller reports
/// blank or missing text. Pure. Also parses Location headers of share links.
[[nodiscard]] input<link> parse_link(std::string_view url);

[[nodiscard]] link post_link(std::string code);

/// The media id behind a short code, as decimal digits ("B-fKL9qpeab" is 2278584739065882267). A
/// code of more than 28 characters carries a follower's key in its last 28, which is cut off first.
/// Empty for other characters, or when the number needs more than 128 bits.
[[nodiscard]] std::optional<std::string> media_id_of(std::string_view code);

/// The platform's own code of the post: `code` without the follower's key of a long code.
[[nodiscard]] std::string_view public_code(std::string_view code) noexcept;

}  // namespace reelsd::platform
