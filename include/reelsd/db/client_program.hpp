#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {

/// A PostgreSQL client program and how it reaches a database. Only the environment contains the
/// password, because every user of the machine can read arguments.
struct client_program {
    std::filesystem::path file;
    std::vector<std::string> environment;  ///< Complete, "NAME=value". May contain the password.
    std::string database;                  ///< For `--dbname`. Contains no secret.
};

/// Finds `name` ("pg_dump"). Searches only `binaries` if that is not empty. Otherwise searches
/// /usr/lib/postgresql for the server's version, then for the next newer one, and then PATH.
/// Blocking: queries the server of `connection_string` for its version. Errors:
/// database_unavailable when the server does not answer or the program is missing; invalid_argument
/// for a connection string that cannot be passed to a program.
[[nodiscard]] result<client_program> find_client_program(
    std::string_view name, const std::string& connection_string,
    const std::filesystem::path& binaries, deadline by);

/// Replaces the database in a connection string. Errors: invalid_argument when it cannot be parsed.
[[nodiscard]] result<std::string> with_database(
    const std::string& connection_string, std::string_view database);

/// Adds a password, which is stored elsewhere, to a connection string. Errors: invalid_argument
/// when the string cannot be parsed or contains a password already.
[[nodiscard]] result<std::string> with_password(
    const std::string& connection_string, std::string_view password);

}  // namespace reelsd::db
