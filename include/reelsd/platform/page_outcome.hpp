#pragma once

#include <reelsd/base/error.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace reelsd::platform {

/// Where a redirect of a post's page leads.
enum class page_redirect : std::uint8_t {
    none,
    post,       ///< Another address of the same post: to be followed.
    login,      ///< /accounts/login
    home,       ///< /
    challenge,  ///< /challenge
    elsewhere,  ///< Another site, another post, a page we do not know.
};

/// Which page the platform's application says it is; all of them come with status 200.
enum class page_route : std::uint8_t { unknown, post, not_found, login };

/// What a page's data says of the wanted post. Later enumerators outweigh earlier ones when a page
/// has several pieces of data.
enum class page_media : std::uint8_t {
    absent,             ///< No data of a single post: the shell that throttled clients get.
    null_root,          ///< The query's answer is null or empty.
    other_post,         ///< Data of another post.
    unreadable,         ///< Data of the post in a shape we do not know.
    withheld,           ///< The post without its media and without a reason.
    gated,              ///< The same with a ruling: age, region, audience.
    photo,              ///< No video in what was asked for.
    video_without_url,  ///< A video, but nothing to download.
    video,
};

/// Everything that was observed of one answer.
struct page_signals {
    int status = 200;
    page_redirect redirect = page_redirect::none;
    page_route route = page_route::unknown;
    page_media media = page_media::absent;
    /// A JSON body that says "please wait a few minutes" or names a rate limit.
    bool asks_to_wait = false;
    /// The code carries a follower's key, as links to private posts do.
    bool is_follower_link = false;
};

struct page_verdict {
    /// Empty: the page has the post's video.
    std::optional<errc> failure = {};
    /// A "no such post" that only counts when a second address of the post says so too.
    bool needs_confirmation = false;
    /// For logs.
    std::string_view reason = {};
};

/// The one place where what the platform answers becomes what it means. Source: platform.md 3.
/// Pure. `signals.redirect` is not page_redirect::post: that one is followed first.
[[nodiscard]] page_verdict judge(const page_signals& signals) noexcept;

}  // namespace reelsd::platform
