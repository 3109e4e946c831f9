#include "session.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

namespace reelsd::db {
namespace {

using parsed_options = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> parts;
    while (!list.empty()) {
        const auto comma = list.find(',');
        parts.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        list.remove_prefix(comma + 1);
        if (list.empty()) parts.emplace_back();
    }
    return parts;
}

/// Returns the value for each of `count` servers; a single one may apply to all. Nothing if the
/// numbers do not match.
std::optional<std::vector<std::string>> for_each_of(
    std::size_t count, std::vector<std::string> parts, bool may_be_shared) {
    if (parts.empty()) return std::vector<std::string>(count);
    if (parts.size() == 1 && may_be_shared) return std::vector<std::string>(count, parts.front());
    // An empty element means libpq's default, which cannot be given for a single server.
    const bool whole = std::none_of(
        parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
    if (parts.size() != count || !whole) return std::nullopt;
    return parts;
}

}  // namespace

std::vector<connection_host> hosts_of(const std::string& connection_string) {
    const std::vector<connection_host> as_it_says(1);
    const parsed_options options{
        PQconninfoParse(connection_string.c_str(), nullptr), &PQconninfoFree};
    if (!options) return as_it_says;  // Only a database name.
    const auto value_of = [&options](std::string_view keyword) -> std::string_view {
        for (const auto* one = options.get(); one->keyword != nullptr; ++one) {
            if (one->keyword == keyword) return one->val == nullptr ? "" : one->val;
        }
        return {};
    };
    if (value_of("target_session_attrs") == "prefer-standby") return as_it_says;

    auto names = parts_of(value_of("host"));
    auto addresses = parts_of(value_of("hostaddr"));
    const auto count = std::max(names.size(), addresses.size());
    if (count < 2) return as_it_says;
    const auto hosts = for_each_of(count, std::move(names), false);
    const auto numbers = for_each_of(count, std::move(addresses), false);
    const auto ports = for_each_of(count, parts_of(value_of("port")), true);
    if (!hosts || !numbers || !ports) return as_it_says;

    std::vector<connection_host> found;
    for (std::size_t i = 0; i < count; ++i) {
        found.push_back({.host = (*hosts)[i], .address = (*numbers)[i], .port = (*ports)[i]});
    }
    return found;
}

}  // namespace reelsd::db
