#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

struct query_parameter {
    std::string_view name;
    std::optional<std::string> value;  ///< None: the parameter is left out.
};

/// `path` with the parameters that have a value, percent-encoded: "/api/v1/reels?limit=20".
[[nodiscard]] std::string path_with_query(
    std::string_view path, const std::vector<query_parameter>& parameters);

/// The decoded value of a query parameter of a link; nothing if the link has none of that name.
[[nodiscard]] std::optional<std::string> parameter_of(
    std::string_view link, std::string_view parameter);

/// The target of the first link with the relation "next" in a Link header (RFC 8288), unchanged;
/// nothing if there is none or the header is malformed.
[[nodiscard]] std::optional<std::string> next_link_of(std::string_view link_header);

}  // namespace reelsd::cli
