#pragma once

#include <reelsd/base/result.hpp>

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {

struct connection_options_deleter {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
/// libpq's options, ended by one without a keyword.
using connection_options = std::unique_ptr<PQconninfoOption, connection_options_deleter>;

/// Parses a libpq connection string or URI. Errors: invalid_argument, without libpq's message,
/// which quotes parts of the string, perhaps the password.
[[nodiscard]] result<connection_options> parse_connection_string(
    const std::string& connection_string);

/// Returns "keyword='value'", quoted for a connection string.
[[nodiscard]] std::string connection_option(std::string_view keyword, std::string_view value);

/// One server of a connection string. Empty values: those of the connection string.
struct connection_host {
    std::string host;
    std::string address;  ///< libpq's `hostaddr`.
    std::string port;

    friend bool operator==(const connection_host&, const connection_host&) = default;
};

/// Returns the servers of a connection string, in its order. Returns a single empty one if it names
/// at most one, if libpq itself must choose (`prefer-standby` tries all of them twice), or if libpq
/// must report an error.
[[nodiscard]] std::vector<connection_host> hosts_of(const std::string& connection_string);

}  // namespace reelsd::db
