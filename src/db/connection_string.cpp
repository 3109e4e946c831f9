#include "connection_string.hpp"

#include <reelsd/db/client_program.hpp>

#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace reelsd::db {
namespace {

std::string_view option_value(const PQconninfoOption& first, std::string_view keyword) {
    for (const auto* option = &first; option->keyword != nullptr; ++option) {
        if (option->keyword == keyword) return option->val == nullptr ? "" : option->val;
    }
    return {};
}

/// Returns a connection string of `options`, with another value for `keyword`.
std::string with_option(
    const connection_options& options, std::string_view keyword, std::string_view value) {
    std::string text = connection_option(keyword, value);
    for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr || option->keyword == keyword) continue;
        text += " " + connection_option(option->keyword, option->val);
    }
    return text;
}

std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> parts;
    if (!list.empty()) boost::split(parts, list, [](char c) { return c == ','; });
    return parts;
}

/// Returns the value for each of `count` servers; a single one may apply to all. Empty if the
/// numbers do not match.
std::optional<std::vector<std::string>> for_each_of(
    std::size_t count, std::vector<std::string> parts, bool may_be_shared) {
    if (parts.empty()) return std::vector<std::string>(count);
    if (parts.size() == 1 && may_be_shared) return std::vector<std::string>(count, parts.front());
    // An empty element means libpq's default, which cannot be given for a single server.
    const bool has_empty = std::find(parts.begin(), parts.end(), "") != parts.end();
    if (parts.size() != count || has_empty) return std::nullopt;
    return parts;
}

}  // namespace

result<connection_options> parse_connection_string(const std::string& connection_string) {
    char* message = nullptr;
    connection_options options{PQconninfoParse(connection_string.c_str(), &message)};
    PQfreemem(message);
    if (options) return options;
    return error{errc::invalid_argument, "the database URL is not a libpq connection string"};
}

std::string connection_option(std::string_view keyword, std::string_view value) {
    auto text = std::string{keyword}.append("='");
    for (const char c : value) {
        if (c == '\'' || c == '\\') text.push_back('\\');
        text.push_back(c);
    }
    return text + "'";
}

result<std::string> with_database(const std::string& connection_string, std::string_view database) {
    const auto options = parse_connection_string(connection_string);
    if (!options) return options.error();
    return with_option(*options, "dbname", database);
}

result<std::string> with_password(const std::string& connection_string, std::string_view password) {
    const auto options = parse_connection_string(connection_string);
    if (!options) return options.error();
    if (!option_value(**options, "password").empty()) {
        return error{errc::invalid_argument, "the database URL has a password already"};
    }
    return with_option(*options, "password", password);
}

std::vector<connection_host> hosts_of(const std::string& connection_string) {
    const std::vector<connection_host> unchanged(1);
    const auto options = parse_connection_string(connection_string);
    if (!options) return unchanged;  // Only a database name.
    const auto value_of = [&options](std::string_view keyword) {
        return option_value(**options, keyword);
    };
    if (value_of("target_session_attrs") == "prefer-standby") return unchanged;

    auto names = parts_of(value_of("host"));
    auto addresses = parts_of(value_of("hostaddr"));
    const auto count = std::max(names.size(), addresses.size());
    if (count < 2) return unchanged;
    const auto hosts = for_each_of(count, std::move(names), false);
    const auto numbers = for_each_of(count, std::move(addresses), false);
    const auto ports = for_each_of(count, parts_of(value_of("port")), true);
    if (!hosts || !numbers || !ports) return unchanged;

    std::vector<connection_host> servers;
    for (std::size_t i = 0; i < count; ++i) {
        servers.push_back({.host = (*hosts)[i], .address = (*numbers)[i], .port = (*ports)[i]});
    }
    return servers;
}

}  // namespace reelsd::db
