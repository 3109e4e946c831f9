#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {

/// One of PostgreSQL's own programs, and how it reaches a database. The password is in the
/// environment alone: arguments are shown to every user of the machine.
struct client_program {
    std::filesystem::path file;
    std::vector<std::string> environment;  ///< All of it, "NAME=value". Holds the password perhaps.
    std::string database;                  ///< For `--dbname`. Never a secret.
};

/// Finds `name` ("pg_dump"): in `binaries` alone if that is given; else of the server's own
/// version, else of the next newer one, below /usr/lib/postgresql, else in PATH. Asks the server of
/// `connection_string` for its version: blocking. Errors: database_unavailable when the server does
/// not answer or there is no such program; invalid_argument for a connection string that cannot be
/// handed on.
[[nodiscard]] result<client_program> find_client_program(
    std::string_view name, const std::string& connection_string,
    const std::filesystem::path& binaries, deadline by);

/// The same server, another database. Errors: invalid_argument for what is no connection string.
[[nodiscard]] result<std::string> with_database(
    const std::string& connection_string, std::string_view database);

/// The same database, with a password that is kept elsewhere. Errors: invalid_argument for what is
/// no connection string, and for one that has a password already.
[[nodiscard]] result<std::string> with_password(
    const std::string& connection_string, std::string_view password);

}  // namespace reelsd::db
