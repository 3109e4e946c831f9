#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/resolver.hpp>

#include <stop_token>
#include <string_view>

namespace reelsd::platform {

/// The name of share links' look-ups in pace, logs and metrics, beside those of resolvers.
inline constexpr std::string_view share_resolver_name = "share";

/// The post that a share link leads to. Errors: video_unavailable (no such share, or it leads to
/// no post), else as judge() says of the answer. Never needs confirmation.
using shared_post = boost::system::result<link, no_post>;

/// The post that a share link's redirect to `location` means. Any text is fine. Pure.
[[nodiscard]] shared_post post_behind(const net::url& platform, std::string_view location);

/// Asks `platform` which post a link of link_kind::share means: one request, whose redirect is the
/// answer. Errors also those of http_client::send(). Source: platform.md 1.
[[nodiscard]] shared_post expand_share_link(
    const net::http_client& client, const net::url& platform, const link& shared, deadline by,
    const std::stop_token& stop);

}  // namespace reelsd::platform
