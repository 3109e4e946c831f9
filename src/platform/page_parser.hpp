#pragma once

#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

/// What a post's page says.
struct parsed_page {
    page_route route = page_route::unknown;
    answer_media media = answer_media::absent;
    /// The title of the page error, when gated. In the platform's language.
    std::string page_error = {};
    /// With answer_media::video.
    std::optional<post> subject = {};
};

/// Reads the JSON blocks of a post's page; nothing outside them counts, since the application's
/// code stands in every page and talks of everything. Only data whose code is the wanted one is the
/// post's. A page that is cut off before its data has no route: it may have been any. Any input is
/// fine; cost is linear (a page of 1 MB takes a few milliseconds). Pure.
[[nodiscard]] parsed_page parse_page(std::string_view html, const link& wanted);

}  // namespace reelsd::platform
