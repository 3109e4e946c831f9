#pragma once

#include "connection_string.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/query.hpp>
#include <reelsd/db/rows.hpp>

#include <libpq-fe.h>

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Blocking use of libpq with a deadline on every wait. For opening connections (name resolution,
/// TLS and password files block inside libpq), migrations and scripts. Never on the loop's thread.
namespace reelsd::db {

struct result_deleter {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using result_ptr = std::unique_ptr<PGresult, result_deleter>;

struct connection_deleter {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using connection_ptr = std::unique_ptr<PGconn, connection_deleter>;

/// The server's own limits for this session; zero means no limit.
struct session_limits {
    std::chrono::milliseconds statement_timeout{0};
    std::chrono::milliseconds lock_timeout{0};
    /// Plans avoid sequential scans unless no index fits: docs/adr/0031.
    bool finds_rows_by_index = false;
};

/// Returns the statements that begin every session. Pure.
/// They set time zone, date and number formats for casts to text and JSON, and isolation and write
/// access, whatever the defaults of server, database or role are. A read-only server stays
/// read-only. The last statement loads PL/pgSQL, so that a session that cannot run the schema's
/// functions fails here and not in a client's request.
[[nodiscard]] std::string session_settings(const session_limits& limits);

/// Opens a connection and applies its settings. Errors: database_unavailable with the message of
/// the server or libpq; invalid_argument for a malformed connection string; timed_out at `by`;
/// cancelled when `stop_fd` (an eventfd, -1 for none) becomes readable first.
[[nodiscard]] result<connection_ptr> open_session(
    const std::string& connection_string, const session_limits& limits, deadline by, int stop_fd);

/// libpq's number for binary parameters and results.
inline constexpr int binary_format = 1;

/// Runs any number of SQL statements. Errors: those of errc_of(), with the SQLSTATE first in the
/// detail; timed_out at the deadline, after which the connection is unusable.
[[nodiscard]] result<void> execute(PGconn& connection, const std::string& text, deadline by);

/// Runs one statement with parameters and returns its rows. `name` names it in errors. Same errors.
[[nodiscard]] result<rows> fetch(
    PGconn& connection, const char* name, const std::string& text,
    const std::vector<parameter>& parameters, deadline by);

/// As open_session(), for a command: the server stops its statements at `by`. Errors:
/// database_unavailable also at `by`; invalid_argument.
[[nodiscard]] result<connection_ptr> open_command_session(
    const std::string& connection_string, deadline by);

/// Parameters in the arrays that libpq takes. Valid as long as the parameters are.
struct parameter_arrays {
    explicit parameter_arrays(const std::vector<parameter>& parameters);

    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
};

/// Whether open_session() failed because the server cannot load a library that sessions need.
[[nodiscard]] bool says_library_missing(std::string_view detail) noexcept;

/// libpq's error message, in one line.
[[nodiscard]] std::string message_of(const PGconn& connection);

/// A server's error: its SQLSTATE (five characters; "08006" when libpq itself failed), the
/// constraint and the primary message. Excludes the detail, which may quote rows.
struct server_error {
    std::string sqlstate;
    std::string constraint;
    std::string message;
};
[[nodiscard]] server_error error_of(const PGresult& result);

/// Returns the outage for a SQLSTATE that errc_of() maps to `database_unavailable`.
[[nodiscard]] outage outage_of(std::string_view sqlstate) noexcept;

/// Returns the exception for a server's error: `unavailable` or `refused`, by errc_of().
[[nodiscard]] std::exception_ptr failure_of(std::string_view query_name, const server_error& why);

}  // namespace reelsd::db
