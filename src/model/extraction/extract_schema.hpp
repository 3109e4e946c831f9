#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

/// The subset of JSON Schema that callers may use in `extract`. It is checked
/// when it is submitted, so that later steps can rely on its form. See docs/adr/0044.
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

/// Whether null is one of the values that the schema allows.
[[nodiscard]] bool allows_null(const json& schema);

/// Whether object `schema` requires the member.
[[nodiscard]] bool is_required(const json& schema, std::string_view name);

/// Whether strict_schema() describes every value that the schema allows. Objects without
/// `properties`, lists without `items` and values without a type have no strict form.
[[nodiscard]] bool has_strict_form(const json& schema);

/// The schema in the form that all providers accept and enforce: without bounds and formats that
/// some of them refuse, all members required, optional ones nullable, objects closed. Answers in
/// this form may have nulls for optional members, which read_extract() removes.
[[nodiscard]] json strict_schema(const json& schema);

}  // namespace reelsd::model
