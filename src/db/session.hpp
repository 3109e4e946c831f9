#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/query.hpp>
#include <reelsd/db/rows.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <libpq-fe.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

/// Blocking use of libpq with a deadline on every wait. For opening connections (name resolution,
/// TLS and password files block inside libpq), migrations and scripts. Never on the loop's thread.
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

/// The value of an option; empty when it is not set.
[[nodiscard]] std::string_view option_value(
    const PQconninfoOption& first, std::string_view keyword);

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

/// Whether sessions are opened at the writable one of several servers, so that a new session finds
/// another server after the connected one has become read-only.
[[nodiscard]] bool selects_writable(const std::string& connection_string);

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

/// A connection on which a command runs blocking statements until a deadline. All members throw
/// db::failure: a code of errc_of(), with the SQLSTATE first in the message; database_unavailable;
/// timed_out at the deadline, after which the connection is unusable.
class command_session {
public:
    /// As open_session(). The server stops statements at `by`. Throws database_unavailable also at
    /// `by`, and invalid_argument.
    command_session(const std::string& connection_string, deadline by);
    command_session(connection_ptr connection, deadline by)
        : connection_{std::move(connection)}, by_{by} {}

    /// Runs any number of SQL statements.
    void execute(const std::string& text);

    /// Runs one statement with parameters and returns its rows. `name` names it in errors.
    rows fetch(
        const char* name, const std::string& text, const std::vector<parameter>& parameters = {});

    [[nodiscard]] PGconn& connection() noexcept { return *connection_; }
    [[nodiscard]] deadline by() const noexcept { return by_; }
    void set_deadline(deadline by) noexcept { by_ = by; }

private:
    connection_ptr connection_;
    deadline by_;
};

/// The error of a command. At the deadline, the database counts as unavailable.
[[nodiscard]] error error_from(const failure& why);

/// Parameters in the arrays that libpq takes. Valid as long as the parameters are.
struct parameter_arrays {
    explicit parameter_arrays(const std::vector<parameter>& parameters);

    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
};

/// Sends one statement with parameters, for results in binary form. False when libpq fails.
[[nodiscard]] bool send_query(
    PGconn& connection, const char* text, const std::vector<parameter>& parameters);

/// Whether open_session() failed because the server cannot load a library that sessions need.
[[nodiscard]] bool says_library_missing(std::string_view detail) noexcept;

/// libpq's error message, in one line.
[[nodiscard]] std::string message_of(const PGconn& connection);

/// A server's error: its SQLSTATE (five characters; "08006" when libpq itself failed) and the
/// primary message. Excludes the detail, which may quote rows.
struct server_error {
    std::string sqlstate;
    std::string message;
};
[[nodiscard]] server_error error_of(const PGresult& result);

/// Returns the outage for a SQLSTATE that errc_of() maps to `database_unavailable`.
[[nodiscard]] outage outage_of(std::string_view sqlstate) noexcept;

/// Returns the exception for a server's error: `unavailable` or `refused`, by errc_of().
[[nodiscard]] std::exception_ptr failure_of(std::string_view query_name, const server_error& why);

/// Delay before the next attempt to connect: 100 ms, doubling to 1 s. The cap lets the pool recover
/// within 2 s of the server's return; the doubling limits the load on a dead server's host.
class backoff {
public:
    [[nodiscard]] std::chrono::milliseconds next() noexcept {
        const auto delay = delay_;
        delay_ = std::min(delay_ * 2, delay_max);
        return delay;
    }
    void reset() noexcept { delay_ = delay_min; }

    static constexpr std::chrono::milliseconds delay_min{100};
    static constexpr std::chrono::milliseconds delay_max{1000};

private:
    std::chrono::milliseconds delay_ = delay_min;
};

/// Opens connections on its own thread, one at a time, because libpq may block while it resolves
/// names, reads password files and negotiates TLS. Call it on the loop's thread.
class connector {
public:
    using completion = std::function<void(result<connection_ptr>)>;

    /// `loop` outlives this.
    connector(
        boost::asio::any_io_executor loop, std::string connection_string, session_limits limits);
    /// Calls stop().
    ~connector();

    /// Opens one connection and posts `done` to the loop. `done` may run after this object is
    /// destroyed. Call again only after `done` has been called.
    void open(deadline by, completion done);

    /// Ends an attempt in progress (its `done` gets `cancelled`) and waits for its thread. Final.
    void stop() noexcept;

private:
    boost::asio::any_io_executor loop_;
    std::string connection_string_;
    session_limits limits_;
    int stop_fd_;
    std::jthread thread_;
};

}  // namespace reelsd::db
