#pragma once

#include "result_set.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/query.hpp>

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

/// libpq's number for binary parameters and results.
inline constexpr int binary_format = 1;

/// Runs any number of SQL statements and returns the last result, in text form, which decode()
/// cannot read. Errors: those of errc_of(); timed_out at the deadline, after which the connection
/// is unusable.
[[nodiscard]] result<result_ptr> run_sql(PGconn& connection, const std::string& text, deadline by);

/// Runs one statement with parameters; its result is in binary form. Same errors.
[[nodiscard]] result<result_ptr> run_sql(
    PGconn& connection, const char* text, const std::vector<parameter>& parameters, deadline by);

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
