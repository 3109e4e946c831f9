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

/// Blocking use of libpq, with a deadline on every wait: for opening connections (name resolution,
/// TLS and password files block inside libpq), migrations and scripts. Never on the loop's thread.
namespace reelsd::db {

struct connection_deleter {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using connection_ptr = std::unique_ptr<PGconn, connection_deleter>;

/// The server's own limits for this session; zero is none.
struct session_limits {
    std::chrono::milliseconds statement_timeout{0};
    std::chrono::milliseconds lock_timeout{0};
    /// Plans read no table from end to end, unless there is no other way: docs/adr/0031.
    bool finds_rows_by_index = false;
};

/// The statements that every session begins with: pure.
/// Time zone, date and number formats are those that casts to text and JSON need, whatever the
/// server's defaults are.
/// Isolation and write access are what our statements need, whatever the role's or the database's
/// defaults are; a server that is read-only as a whole stays so. The last statement loads PL/pgSQL:
/// a session that could not run our functions fails here, not in a client's request.
[[nodiscard]] std::string session_settings(const session_limits& limits);

/// A connection that is logged in and has its settings. Errors: database_unavailable with the
/// server's or libpq's words; invalid_argument when the connection string is none; cancelled when
/// `stop_fd` (an eventfd, -1 for none) becomes readable first.
[[nodiscard]] result<connection_ptr> open_session(
    const std::string& connection_string, const session_limits& limits, deadline by, int stop_fd);

/// libpq's number for binary parameters and results.
inline constexpr int binary_format = 1;

/// Runs SQL of any number of statements and gives the last one's result, in text form: decode()
/// does not read it. Errors: what errc_of() says; timed_out at the deadline, after which the
/// connection is of no more use.
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

/// Whether open_session() failed because the server cannot load a library that its sessions need.
[[nodiscard]] bool says_library_missing(std::string_view detail) noexcept;

/// What libpq says went wrong, in one line.
[[nodiscard]] std::string message_of(const PGconn& connection);

/// A server's error: its SQLSTATE (five characters; "08006" when libpq itself failed), the
/// constraint and the primary message. Its detail is left out: it may quote rows.
struct server_error {
    std::string sqlstate;
    std::string constraint;
    std::string message;
};
[[nodiscard]] server_error error_of(const PGresult& result);

/// Which outage a SQLSTATE is, given that errc_of() calls it `database_unavailable`.
[[nodiscard]] outage outage_of(std::string_view sqlstate) noexcept;

/// The exception for a server's error: unavailable when errc_of() says so, refused otherwise.
[[nodiscard]] std::exception_ptr failure_of(std::string_view query_name, const server_error& why);

}  // namespace reelsd::db
