#pragma once

#include <string>
#include <vector>

namespace reelsd::db {

/// One of the servers that a connection string names. Empty: as the connection string says.
struct connection_host {
    std::string host;
    std::string address;  ///< libpq's `hostaddr`.
    std::string port;

    friend bool operator==(const connection_host&, const connection_host&) = default;
};

/// The servers of a connection string, in its order; one empty one if it names no more than one, or
/// if only libpq itself can choose (`prefer-standby` looks at all of them twice) or complain.
[[nodiscard]] std::vector<connection_host> hosts_of(const std::string& connection_string);

}  // namespace reelsd::db
