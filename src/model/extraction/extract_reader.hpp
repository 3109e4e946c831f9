#pragma once

#include "../answer/answer_json.hpp"
#include <reelsd/base/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace reelsd::model {

/// A model's answer to a caller's schema.
struct extract_answer {
    /// JSON text that is valid against the schema; empty when there are violations.
    std::string text;
    /// Short sentences for the model and the caller, without any text of the answer.
    std::vector<std::string> violations;
};

/// Of the text. Four bytes for each of the 32,768 tokens that a model may write.
inline constexpr std::size_t extract_bytes_max = std::size_t{128} * 1024;
/// In an object, besides the members that its schema describes.
inline constexpr std::size_t extract_other_members_max = 1000;

/// Checks the member `extract` of an answer against the caller's schema, which
/// check_extract_schema() has accepted. Null for an optional member means that it is absent, see
/// strict_schema(). Members are in the order of the schema. Nothing else is corrected, except that
/// NUL characters, which databases refuse, are removed. Pure; bounded by the bounds of
/// parse_answer().
[[nodiscard]] extract_answer read_extract(const answer_json& value, const json& schema);

/// Whether a text is valid in a format: date, date-time, time (RFC 3339) or uri (RFC 3986, with a
/// scheme). True for other formats, which are notes to the model.
[[nodiscard]] bool has_format(std::string_view text, std::string_view format);

}  // namespace reelsd::model
