#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/query.hpp>
#include <reelsd/db/rows.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::db {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct pool_options {
    /// libpq connection string or URI. Never logged: it may hold a password.
    std::string connection_string;
    /// 1-32. Measured: 4 pipelined connections saturate a server of two cores.
    std::size_t connections = 4;
    /// In flight and waiting together; one more is refused at once (outage::overloaded).
    std::size_t in_flight_max = 1000;
    /// Essential queries may exceed `in_flight_max` by this many, so that a flood of requests never
    /// refuses a renewal, a report or a ledger entry. For 256 workers, the most that settings
    /// allow, with one report and one ledger entry each, and the dispatcher's own statements.
    std::size_t in_flight_reserve = 520;
    /// Name resolution, TCP, TLS, log-in and session settings together.
    std::chrono::milliseconds connect_time_max = 5s;
    /// The server's own limits for one statement, and for one wait for a lock within it.
    std::chrono::milliseconds statement_timeout = 5s;
    std::chrono::milliseconds lock_timeout = 3s;
    /// A connection that owes an answer and sends nothing for the statement timeout and this is
    /// broken.
    std::chrono::milliseconds stall_time_max = 10s;
};

/// How long a server may be away that changes hands.
struct suspension {
    /// What is in flight should have been answered.
    deadline settled_by;
    /// Statements that wait may do so at least until then, beyond their own deadlines: these are
    /// for a server that may never come back, this one will.
    deadline waiting_by;
};

/// What readiness and metrics ask.
struct pool_state {
    std::size_t connections = 0;  ///< Ready to serve.
    std::size_t in_flight = 0;    ///< Sent and not yet answered.
    std::size_t waiting = 0;      ///< For a connection.
    std::string last_error;  ///< Why the last attempt to connect failed; empty once one succeeds.
    /// The last attempt failed because the server cannot load a library: its files were replaced
    /// while it runs. Sessions from before may still serve.
    bool lacks_library = false;

    [[nodiscard]] bool reachable() const noexcept { return connections > 0; }
};

/// What one query has cost since the start, seen from the caller (waiting included).
struct query_metrics {
    std::uint64_t count = 0;   ///< Finished, errors included, cancellations not.
    std::uint64_t errors = 0;  ///< unavailable and refused.
    /// Of these, refused through no fault of the data: no room, no privilege, no such function.
    std::uint64_t faults = 0;
    double seconds = 0;  ///< Sum over `count`.
};

/// Keyed by the query's name.
using metrics_by_query = std::map<std::string, query_metrics, std::less<>>;

/// Pipelined connections to one PostgreSQL, on one event loop. Each statement is its own
/// transaction. Connections are opened at start(), and again when lost, after 100 ms doubling to 1
/// s: the pool heals within 2 s of the server's return. One that owes an answer for a second is
/// left alone until it speaks, and another is opened in its place, so that for a while there may be
/// twice as many. Prepared statements are made on first use.
///
/// Threads: everything but `run` is called on the loop's thread. `run` may be called on any thread,
/// as its coroutine does nothing until it is resumed, and that must be on the loop: `co_spawn(loop,
/// pool.run(by, q, ...), use_future)`. Lifetime: outlives every coroutine that runs a query; the
/// loop outlives the pool.
class pool {
public:
    /// `loop` runs on one thread only.
    pool(asio::any_io_executor loop, pool_options options, log::logger logger);
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;
    /// As close(), if that has not been done.
    ~pool();

    /// Starts to connect. Queries that are run before this wait.
    void start();

    /// Refuses new queries, fails those in flight with outage::closed, closes the connections. At
    /// once; joins the thread that connects, which may lag while it resolves a name.
    void close();

    /// Lets go of a server that is about to end: what is in flight is answered, what comes waits
    /// for resume(), and connections are closed. True when all was answered in time; what was not
    /// is still waited for, and lost with its connection.
    [[nodiscard]] asio::awaitable<bool> suspend(suspension wanted);
    /// Connects again, and sends what has been waiting.
    void resume();

    /// Runs one statement and gives its rows. The deadline includes the wait for a connection.
    /// Throws unavailable, refused or schema_mismatch; on cancellation (any type)
    /// boost::system::system_error with asio::error::operation_aborted. A statement that was sent
    /// is not taken back by deadline or cancellation: it may still be carried out.
    template <class... Values>
    [[nodiscard]] asio::awaitable<rows> run(deadline by, const query& what, Values&&... values) {
        std::vector<parameter> parameters;
        parameters.reserve(sizeof...(Values));
        (parameters.emplace_back(std::forward<Values>(values)), ...);
        return run_with(by, what, std::move(parameters));
    }

    /// As run(), for parameters that are counted at run time.
    [[nodiscard]] asio::awaitable<rows> run_with(
        deadline by, query what, std::vector<parameter> parameters);

    /// Has the server write back what it holds in memory. Throws as run() does.
    [[nodiscard]] asio::awaitable<void> checkpoint(deadline by);

    [[nodiscard]] pool_state state() const;
    [[nodiscard]] const metrics_by_query& metrics() const noexcept;

private:
    // Shared with the handlers that the loop still holds when the pool goes: which of the two ends
    // last is not known.
    std::shared_ptr<class pool_core> core_;
};

}  // namespace reelsd::db
