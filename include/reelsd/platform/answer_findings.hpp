#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>
#include <reelsd/platform/post.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::platform {

/// The enumerators' names, for people.
[[nodiscard]] std::string_view name_of(answer_redirect redirect) noexcept;
[[nodiscard]] std::string_view name_of(page_route route) noexcept;
[[nodiscard]] std::string_view name_of(answer_media media) noexcept;
[[nodiscard]] std::string_view name_of(answer_error platform_error) noexcept;

/// "route post, media video": what is worth a word of an answer's signals.
[[nodiscard]] std::string describe(const answer_signals& signals);

/// What the parser of such answers finds in a body, as kept beside recorded answers:
/// {"media", "ruling"}, for pages "route", for queries "complaint", and, when there is a
/// post, "platform_meta", "media_url" and perhaps "sound_url" and "carousel". Pure.
[[nodiscard]] json answer_findings(answer_kind kind, std::string_view body, const link& wanted);

/// The part of it that all kinds share.
[[nodiscard]] json findings_of(
    answer_media media, const std::string& page_error, const std::optional<post>& subject);

}  // namespace reelsd::platform
