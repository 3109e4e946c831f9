#pragma once

#include <reelsd/base/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// Validation by the subset of JSON Schema that this project uses: `type` (a name or a list of
/// names), `enum`, `properties`, `required`, `additionalProperties: false`, `items`, `minItems`,
/// `maxItems`, `uniqueItems`, `minLength`, `maxLength`, `minimum` and `maximum`. Other keywords are
/// annotations. References are not followed.
namespace reelsd {

struct schema_violation {
    std::string at;    ///< JSON Pointer to the value; empty for the root.
    std::string what;  ///< Continues the value's name: "must be a string".
};

/// Upper bound on the violations reported for one document.
inline constexpr std::size_t schema_violations_max = 20;

/// The violations of `schema` in `value`, none when it is valid. The recursion is as deep as
/// `schema`, whatever the depth of `value`.
[[nodiscard]] std::vector<schema_violation> schema_violations(
    const json& value, const json& schema);

}  // namespace reelsd
