#pragma once

#include <reelsd/base/error.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace reelsd::db {

/// What a SQLSTATE means to the house: its one home. Transient trouble of the server (no memory, no
/// connection left, shutting down, starting, read-only, lock or statement timeouts, deadlock) is
/// `database_unavailable`; a full or broken disk is `storage_failed`; a violated key is `conflict`;
/// data that the server cannot take is `invalid_argument`; all else is our bug, `internal`.
/// Source: PostgreSQL 15 manual, appendix A.
[[nodiscard]] errc errc_of(std::string_view sqlstate) noexcept;

/// What all database exceptions have in common, for the two boundaries that catch them.
class failure : public std::runtime_error {
public:
    failure(errc code, const std::string& message) : std::runtime_error{message}, code_{code} {}

    [[nodiscard]] errc code() const noexcept { return code_; }

private:
    errc code_;
};

/// Why the database could not serve.
enum class outage : std::uint8_t {
    no_connection,      ///< None was ready before the deadline.
    overloaded,         ///< Too many queries in flight; refused at once.
    closed,             ///< The pool is closed or closing.
    deadline_passed,    ///< Sent, but not answered before the deadline.
    connection_lost,    ///< Lost or stuck in mid-statement.
    statement_timeout,  ///< The server stopped the statement at its own limit.
    contention,         ///< Deadlock, serialization failure or lock timeout: nothing was changed.
    server_unready,     ///< Starting, stopping, out of memory, processes or connections.
    read_only,          ///< A standby, or a server set to read only.
};

/// The reason's name, for logs: "connection_lost".
[[nodiscard]] std::string_view name_of(outage reason) noexcept;

/// The database cannot serve now: worth another try later. `code()` is `database_unavailable`.
class unavailable : public failure {
public:
    unavailable(outage reason, const std::string& message);

    [[nodiscard]] outage reason() const noexcept { return reason_; }
    /// True when the statement had been sent and its outcome is unknown: it may have been
    /// committed.
    [[nodiscard]] bool may_have_run() const noexcept;

private:
    outage reason_;
};

/// The server refused a statement for what it says or for the data it carries. Nothing was changed.
class refused : public failure {
public:
    refused(std::string sqlstate, std::string constraint, const std::string& message);

    /// Five characters, such as "23505".
    [[nodiscard]] const std::string& sqlstate() const noexcept { return sqlstate_; }
    /// The violated constraint's name; empty when the error is not about one.
    [[nodiscard]] const std::string& constraint() const noexcept { return constraint_; }

private:
    std::string sqlstate_;
    std::string constraint_;
};

/// A column that is not there, of another type, null where none may be, or a row too few or too
/// many: our query and our code disagree. `code()` is `internal`.
class schema_mismatch : public failure {
public:
    explicit schema_mismatch(const std::string& message) : failure{errc::internal, message} {}
};

}  // namespace reelsd::db
