#pragma once

#include <string>
#include <vector>

namespace reelsd::db {

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
