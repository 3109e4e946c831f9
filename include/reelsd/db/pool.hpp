#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/query.hpp>
#include <reelsd/db/rows.hpp>

#include <boost/asio/any_io_executor.hpp>

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
    /// libpq connection string or URI. Never logged: it may contain a password.
    std::string connection_string;
    /// 1-32. Measured: 4 pipelined connections saturate a server of two cores.
    std::size_t connections = 4;
    /// Upper bound on in-flight plus waiting queries; more are refused with outage::overloaded.
    std::size_t in_flight_max = 1000;
    /// Essential queries may exceed `in_flight_max` by this many, so that a flood of requests does
    /// not block a renewal, a report or a ledger entry. Enough for 256 workers (the settings' upper
    /// bound) with one report and one ledger entry each, and for the dispatcher's own statements.
    std::size_t in_flight_reserve = 520;
    /// Name resolution, TCP, TLS, log-in and session settings together.
    std::chrono::milliseconds connect_time_max = 5s;
    /// The server's own limits for one statement, and for one wait for a lock within it.
    std::chrono::milliseconds statement_timeout = 5s;
    std::chrono::milliseconds lock_timeout = 3s;
    /// A connection that owes a result is broken when silent for the statement timeout plus this.
    std::chrono::milliseconds stall_time_max = 10s;
};

/// Time limits of a planned restart of the server.
struct suspension {
    /// Statements in flight should have been answered by then.
    deadline settled_by;
    /// Waiting statements may wait until then, even beyond their own deadlines: those assume that
    /// the server may not return.
    deadline waiting_by;
};

/// The pool's state for readiness checks and metrics.
struct pool_state {
    std::size_t connections = 0;  ///< Ready to serve.
    std::size_t in_flight = 0;    ///< Sent and not yet answered.
    std::size_t waiting = 0;      ///< Waiting for a connection.
    std::string last_error;  ///< Why the last attempt to connect failed; empty after a success.
    /// The last attempt failed because the server cannot load a library: its files were replaced
    /// while it runs. Older sessions may still serve.
    bool lacks_library = false;

    [[nodiscard]] bool reachable() const noexcept { return connections > 0; }
};

/// Cost of one query since the start, as its callers see it (waiting included).
struct query_metrics {
    std::uint64_t count = 0;   ///< Finished, including errors but not cancellations.
    std::uint64_t errors = 0;  ///< unavailable and refused.
    /// Errors that the data did not cause: disk full, missing privilege, missing function.
    std::uint64_t faults = 0;
    double seconds = 0;  ///< Sum over `count`.
};

/// Keyed by the query's name.
using metrics_by_query = std::map<std::string, query_metrics, std::less<>>;

/// Pipelined connections to one PostgreSQL server, on one event loop. Each statement is its own
/// transaction, and is repeated until its deadline if it is the victim of a deadlock. start() opens
/// the connections. The pool reopens lost ones after 100 ms, doubling to 1 s, so that it recovers
/// within 2 s of the server's return. A connection that has owed a result for a second gets no more
/// statements until it sends something. The pool opens another in its place, so that there may be
/// twice as many for a while. Statements are prepared on first use.
///
/// Threads: call everything but `run` on the loop's thread. `run` may be called on any thread,
/// because its coroutine does nothing until it is resumed. Resume it on the loop: `co_spawn(loop,
/// pool.run(by, q, ...), use_future)`. Lifetime: outlives every coroutine that runs a query; the
/// loop outlives the pool.
class pool {
public:
    /// `loop` runs on only one thread.
    pool(asio::any_io_executor loop, pool_options options, log::logger logger);
    /// Calls close() if it has not been called.
    ~pool();

    /// Starts to connect. Earlier queries wait.
    void start();

    /// Refuses new queries, fails those in flight with outage::closed and closes the connections,
    /// all immediately. Joins the connecting threads, which may take time to resolve a name.
    void close();

    /// Prepares for the server's shutdown: waits for statements in flight, holds new ones until
    /// resume(), and closes the connections. Returns true when all in-flight statements were
    /// answered in time. The others keep waiting and fail with their connection.
    [[nodiscard]] awaitable<bool> suspend(suspension limits);
    /// Reconnects and sends the waiting statements.
    void resume();

    /// Runs one statement and returns its rows. The deadline includes the wait for a connection.
    /// Throws unavailable, refused or schema_mismatch; on cancellation (any type)
    /// boost::system::system_error with asio::error::operation_aborted. The server may still run a
    /// statement after its deadline or cancellation if it was sent.
    template <class... Values>
    [[nodiscard]] awaitable<rows> run(deadline by, const query& what, Values&&... values) {
        std::vector<parameter> parameters;
        parameters.reserve(sizeof...(Values));
        (parameters.emplace_back(std::forward<Values>(values)), ...);
        return run_with(by, what, std::move(parameters));
    }

    /// Like run(), for a number of parameters that is known only at run time.
    [[nodiscard]] awaitable<rows> run_with(
        deadline by, query what, std::vector<parameter> parameters);

    /// Runs CHECKPOINT on the server. Throws like run().
    [[nodiscard]] awaitable<void> checkpoint(deadline by);

    [[nodiscard]] pool_state state() const;
    [[nodiscard]] const metrics_by_query& metrics() const noexcept;

private:
    // Shared with handlers that the loop may still hold when the pool is destroyed.
    std::shared_ptr<class pool_core> core_;
};

}  // namespace reelsd::db
