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

/// The value of a parameter in the query of a link, decoded; nothing when the link has none of that
/// name.
[[nodiscard]] std::optional<std::string> parameter_of(
    std::string_view link, std::string_view parameter);

/// `link` with "https://" where it begins with the platform's host: the server wants whole links,
/// and people leave the scheme out.
[[nodiscard]] std::string complete_link(std::string_view link);

/// The target of the first link with the relation "next" in a Link header (RFC 8288), as it stands
/// between the angle brackets; nothing when there is none or the header is malformed.
[[nodiscard]] std::optional<std::string> next_link_of(std::string_view link_header);

}  // namespace reelsd::cli
