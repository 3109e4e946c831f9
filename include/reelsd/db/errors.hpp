#pragma once

#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/error.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace reelsd::db {

/// Maps a SQLSTATE to an error code; the only such mapping. Transient server conditions (no memory,
/// no connection left, shutting down, starting, read-only, lock or statement timeouts, deadlock)
/// are `database_unavailable`. A full or broken disk is `storage_failed`, a violated key is
/// `conflict`, and data that the server rejects is `invalid_argument`. Anything else is a bug of
/// this program, `internal`. Source: PostgreSQL 15 manual, appendix A.
[[nodiscard]] errc errc_of(std::string_view sqlstate) noexcept;

/// Base of all database exceptions, for the two boundaries that catch them.
class failure : public std::runtime_error {
public:
    failure(errc code, const std::string& message) : std::runtime_error{message}, code_{code} {}

    [[nodiscard]] errc code() const noexcept { return code_; }

private:
    errc code_;
};

/// Why the database could not serve.
enum class outage : std::uint8_t {
    no_connection,      ///< No connection was ready before the deadline.
    overloaded,         ///< Too many queries in flight; refused immediately.
    closed,             ///< The pool is closed or closing.
    deadline_passed,    ///< Sent, but not answered before the deadline.
    connection_lost,    ///< Lost or stuck during the statement.
    statement_timeout,  ///< The server stopped the statement at its own limit.
    contention,         ///< Lock timeout, repeated deadlocks, serialization failure: no change.
    server_unready,     ///< Starting, stopping, out of memory, processes or connections.
    read_only,          ///< A standby, or a server set to read only.
};
BOOST_DESCRIBE_ENUM(
    outage, no_connection, overloaded, closed, deadline_passed, connection_lost, statement_timeout,
    contention, server_unready, read_only)

/// The database cannot serve now; a retry may succeed. `code()` is `database_unavailable`.
class unavailable : public failure {
public:
    unavailable(outage reason, const std::string& message);

    [[nodiscard]] outage reason() const noexcept { return reason_; }
    /// True when the statement was sent and its outcome is unknown: it may have been committed.
    [[nodiscard]] bool may_have_run() const noexcept;

private:
    outage reason_;
};

/// The server refused a statement because of its text or its data. Nothing was changed.
class refused : public failure {
public:
    refused(std::string sqlstate, const std::string& message);

    /// Five characters, such as "23505".
    [[nodiscard]] const std::string& sqlstate() const noexcept { return sqlstate_; }

private:
    std::string sqlstate_;
};

/// The query and the code that reads it disagree: a missing column, a wrong type, an unexpected
/// null or a wrong number of rows. `code()` is `internal`.
class schema_mismatch : public failure {
public:
    explicit schema_mismatch(const std::string& message) : failure{errc::internal, message} {}
};

}  // namespace reelsd::db
