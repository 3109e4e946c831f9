#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/link.hpp>

#include <string>
#include <string_view>

/// Recorded answers of the platform, for tests and diagnosis. Pure.
namespace reelsd::platform {

/// The code in recorded answers, which replaces that of the original post.
inline constexpr std::string_view recorded_code = "DYexample01";

/// An answer in a form that may be stored and shown: its structure and its numbers, without
/// personal data. The post's code and id become those of recorded_code; names, captions and other
/// texts become x's of the same length (signs such as # and @ stay); URLs lose their signatures and
/// file names; long ids, tokens and network addresses are masked. Works on text, so that answers
/// which no parser reads are redacted too: JSON, JSON inside JSON, HTML. Cost is linear.
[[nodiscard]] std::string redact_answer(std::string_view body, const link& about);

/// "route post, media video": the signals of an answer that differ from the defaults.
[[nodiscard]] std::string describe(const answer_signals& signals);

/// The parser's findings in an answer, as stored with recorded answers: "media", "page_error", for
/// pages "route", for queries "platform_error". With a post also "platform_meta", "media_url", and
/// "sound_url" and "carousel" if they apply.
[[nodiscard]] json answer_findings(answer_kind kind, std::string_view body, const link& reel);

/// Likewise for the output of yt-dlp.
[[nodiscard]] json yt_dlp_findings(std::string_view output, const link& reel);

}  // namespace reelsd::platform
