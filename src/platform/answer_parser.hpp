#pragma once

#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <optional>
#include <string>
#include <string_view>

/// Parsers of the platform's answers. Any input is valid; cost is linear (a page of 1 MB takes a
/// few milliseconds). Only data with the code of `reel` counts as the post's. tests/golden/platform
/// has recorded answers of each kind. Pure.
namespace reelsd::platform {

/// Contents of an answer's body.
struct parsed_answer {
    answer_media media = answer_media::absent;
    page_route route = page_route::unknown;            ///< Set only for pages.
    answer_error platform_error = answer_error::none;  ///< Set only for a query and the app's API.
    /// The title of the page error, when gated. In the platform's language.
    std::string page_error = {};
    /// Set for answer_media::video and video_in_tracks.
    std::optional<post> subject = {};
};

/// Reads the JSON blocks of a post's page. Text outside them does not count, because every page
/// contains the code of the whole application. A page that is cut off before its data has no route,
/// because it may have had the post.
[[nodiscard]] parsed_answer parse_page(std::string_view html, const link& reel);

/// Reads the JSON of a query: a post's record at any depth, and errors. Accepts the prefix
/// "for (;;);", and several documents, one per line, of which later ones complete the first.
[[nodiscard]] parsed_answer parse_query(std::string_view body, const link& reel);

/// Likewise for an answer of the app's own API, whose items are at the top level.
[[nodiscard]] parsed_answer parse_media_info(std::string_view body, const link& reel);

/// Reads the record of an embed page: JSON inside JSON (`contextJSON`), or an argument of
/// `__additionalDataLoaded`. Without a record, the video's address in a script or in its element;
/// elements name no code. A video without an address may not be embedded.
[[nodiscard]] parsed_answer parse_embed(std::string_view html, const link& reel);

/// Calls the parser for `kind`.
[[nodiscard]] parsed_answer parse_answer(answer_kind kind, std::string_view body, const link& reel);

/// Returns only the error in a body, for answers with an error status.
[[nodiscard]] answer_error platform_error_of(std::string_view body);

/// Reads the output of `yt-dlp -J` for a post or a carousel. Ignores yt-dlp's choice of a format
/// and takes the largest file with both picture and sound. Returns answer_media::absent for invalid
/// JSON, null, or null for the requested slide; the error output then has the reason.
[[nodiscard]] parsed_answer parse_yt_dlp(std::string_view output, const link& reel);

}  // namespace reelsd::platform
