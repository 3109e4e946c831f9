#pragma once

#include <reelsd/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

enum class link_kind : std::uint8_t {
    post,   ///< `code` is the post's short code.
    share,  ///< `code` is a share token; one request to the platform tells the post
            ///< (share_link.hpp).
};

/// A link to a post, reduced to what identifies it. Tracking parameters are gone.
struct link {
    link_kind kind = link_kind::post;
    /// 5-48 of [A-Za-z0-9_-]; letter case matters.
    std::string code = {};
    /// Slide of a carousel, from 1.
    std::optional<int> img_index = {};
    /// Absolute path: "/reel/<code>/" of every post, "/share/reel/<x>/" and the like of a share
    /// link.
    std::string path = {};

    /// "https://www.instagram.com/reel/<code>/".
    [[nodiscard]] std::string canonical_url() const;
    /// One of the fixed links of the contract, section 7, which never reach the platform. Their
    /// errors are not to be retried.
    [[nodiscard]] bool is_test() const;

    friend bool operator==(const link&, const link&) = default;
};

/// Accepts and refuses as the contract says (POST /analyze). errc::invalid_argument otherwise, with
/// a detail that is meant for the client:
///   `URL must be an instagram.com link`                    no http(s) URL, over 2,048 bytes,
///   control
///                                                          characters, user info, a foreign port
///   `URL must be an instagram.com link, got "tiktok.com"`  another host
///   `URL must be a reel link: instagram.com/reel/<code> or instagram.com/p/<code>`
/// Spaces around the link are ignored (people paste them); any other white space is a control
/// character. Blank or missing text is the caller's to report.
/// Pure; also for Location headers of share links.
[[nodiscard]] result<link> parse_link(std::string_view url);

/// The link of a post that is known by its code.
[[nodiscard]] link post_link(std::string code);

/// The media id behind a short code, as decimal digits ("B-fKL9qpeab" is 2278584739065882267). A
/// code of more than 28 characters carries a follower's key in its last 28, which is cut off first.
/// Empty for other characters, or when the number needs more than 128 bits.
[[nodiscard]] std::optional<std::string> media_id_of(std::string_view code);

/// The short code of a media id in decimal digits ("<id>" or "<id>_<owner>"). Empty for anything
/// else.
[[nodiscard]] std::optional<std::string> code_of(std::string_view media_id);

/// Without the follower's key of a long code: what the platform itself calls the post.
[[nodiscard]] std::string_view public_code(std::string_view code) noexcept;

}  // namespace reelsd::platform
