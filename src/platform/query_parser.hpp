#pragma once

#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

/// What a query's answer says.
struct parsed_answer {
    answer_media media = answer_media::absent;
    answer_error platform_error = answer_error::none;
    /// The title of the page error, when gated. In the platform's language.
    std::string page_error = {};
    /// With answer_media::video.
    std::optional<post> subject = {};
};

/// Reads the JSON of a query: the record of a post wherever it stands, and what the platform has to
/// complain of. Takes the guard "for (;;);" in front, and answers that come in several documents,
/// one a line, of which the later ones fill in the first. Only data whose code is the wanted one is
/// the post's. Any input is fine; cost is linear. Pure. Source: platform.md 2B, 2C.
[[nodiscard]] parsed_answer parse_answer(std::string_view body, const link& wanted);

/// The same for an answer of the app's own API, whose items are at the top. Source: platform.md 2E.
[[nodiscard]] parsed_answer parse_media_info(std::string_view body, const link& wanted);

/// Only what a body complains of, for answers that are errors by their status. Pure.
/// Source: platform.md 3.
[[nodiscard]] answer_error platform_error_of(std::string_view body);

}  // namespace reelsd::platform
