#pragma once

#include <reelsd/platform/link.hpp>

#include <string>
#include <string_view>

namespace reelsd::platform {

/// The code that recorded answers are about, whichever post they were about.
inline constexpr std::string_view recorded_code = "DYexample01";

/// An answer of the platform as it may be kept and shown: its shape and its numbers, and nothing of
/// anybody. The post's code and id become those of recorded_code; names, captions and other text of
/// people become x's of the same length (signs like # and @ stay); addresses lose what is signed
/// and whose file it is; long ids, tokens and network addresses are masked. Works on text, so that
/// answers which no parser reads are redacted too: JSON, JSON inside of JSON, HTML. Pure; linear.
[[nodiscard]] std::string redact_answer(std::string_view body, const link& about);

}  // namespace reelsd::platform
