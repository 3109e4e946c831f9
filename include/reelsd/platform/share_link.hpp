#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/link.hpp>

#include <stop_token>
#include <string_view>

namespace reelsd::platform {

/// The post that a share link's redirect to `location` means. Any text is fine. Errors:
/// video_unavailable (it leads to no post, or elsewhere), platform_rate_limited (it leads to the
/// login page). Pure.
[[nodiscard]] result<link> post_behind(const net::url& platform, std::string_view location);

/// Asks `platform` which post a link of link_kind::share means: one request, whose redirect is the
/// answer. Errors: video_unavailable (no such share, or it leads to no post), platform_rate_limited
/// (it leads to the login page), platform_failed, and http_client::send()'s. Source: platform.md 1.
[[nodiscard]] result<link> expand_share_link(
    const net::http_client& client, const net::url& platform, const link& shared, deadline by,
    const std::stop_token& stop);

}  // namespace reelsd::platform
