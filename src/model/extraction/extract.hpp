#pragma once

#include "../answer/answer_json.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// `extract`: the schemas of callers, in a subset of JSON Schema, and the answers to them. A schema
/// is checked when it is submitted, so that later steps can rely on its form. See docs/adr/0044.
namespace reelsd::model {

/// Of the schema as compact JSON text.
inline constexpr std::size_t extract_schema_bytes_max = std::size_t{16} * 1024;
/// Objects and lists within each other, including the root.
inline constexpr int extract_schema_depth_max = 5;
/// In all objects of a schema.
inline constexpr std::size_t extract_properties_max = 100;
inline constexpr std::size_t extract_enum_values_max = 100;

/// Errors: invalid_argument, with the JSON Pointer of the keyword:
/// `extract: "$ref" is not supported, at /properties/x/$ref`. Bounded recursion.
[[nodiscard]] result<void> check_extract_schema(const json& schema);

// For checked schemas.

/// The types that the schema allows, as an array of names. Without `type`, what its other keywords
/// imply; empty if they imply nothing.
[[nodiscard]] json types_of(const json& schema);

[[nodiscard]] bool allows_null(const json& schema);

[[nodiscard]] bool is_required(const json& schema, std::string_view name);

/// Whether strict_schema() describes every value that the schema allows. Objects without
/// `properties`, lists without `items` and values without a type have no strict form.
[[nodiscard]] bool has_strict_form(const json& schema);

/// The schema in the form that all providers accept and enforce: without bounds and formats that
/// some of them refuse, all members required, optional ones nullable, objects closed. Answers in
/// this form may have nulls for optional members, which read_extract() removes.
[[nodiscard]] json strict_schema(const json& schema);

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

/// Checks the `extract` member of an answer against the caller's schema, which
/// check_extract_schema() has accepted. Null for an optional member means that it is absent, see
/// strict_schema(). Members are in the order of the schema. Nothing else is corrected, except that
/// NUL characters, which databases refuse, are removed. Pure; bounded by the bounds of
/// parse_answer().
[[nodiscard]] extract_answer read_extract(const answer_json& value, const json& schema);

/// Whether a text is valid in a format: date, date-time, time (RFC 3339) or uri (RFC 3986, with a
/// scheme). True for other formats, which are notes to the model.
[[nodiscard]] bool has_format(std::string_view text, std::string_view format);

}  // namespace reelsd::model
