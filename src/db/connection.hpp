#pragma once

#include "session.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/db/query.hpp>
#include <reelsd/db/rows.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace reelsd::db {

/// The statements that one connection has prepared or is preparing. Does no I/O.
///
/// Requests are pipelined: when a PREPARE fails, other requests that rely on it are already in
/// flight. Each PREPARE has its own number, so that their later failures do not undo a newer one.
/// The server's name for the statement includes the number, so that names never collide.
class statement_cache {
public:
    struct use {
        std::uint64_t number;     ///< From 1.
        std::string server_name;  ///< "jobs.claim_due#1".
        bool must_prepare;        ///< True for the first use: send PREPARE first.
    };

    /// Returns the statement that runs `what`. Aborts if another text has the same name.
    [[nodiscard]] use acquire(const query& what);

    /// Prepares again at the next use, because the server lost statement `number` or no longer
    /// supports it. No effect if a newer one was prepared.
    void forget(const query& what, std::uint64_t number);

    [[nodiscard]] static std::string server_name(const query& what, std::uint64_t number);

private:
    struct entry {
        const char* text;
        std::uint64_t number;  ///< Zero: not prepared.
    };

    std::unordered_map<std::string_view, entry> entries_;
    std::uint64_t last_number_ = 0;
};

using waiter = boost::asio::any_completion_handler<void(std::exception_ptr, rows)>;

/// One call of pool::run(), from its start until its last result. If the caller leaves earlier
/// (deadline, cancellation), `caller` is empty and the answer is discarded when it arrives, so that
/// the connection keeps its order.
struct pending_query {
    query what;
    std::vector<parameter> parameters;
    deadline by;
    deadline::clock::time_point started = deadline::clock::now();
    waiter caller{};

    /// Sent without a prepared statement: the second attempt, after the server lost the prepared
    /// one or no longer supports it.
    bool one_shot = false;

    // State of the connection between sending and the last result.
    std::uint64_t statement = 0;  ///< The prepared statement's number; zero for none.
    bool prepared_here = false;   ///< PREPARE was sent with it.
    bool preparing = false;       ///< The next result is about PREPARE.
    result_ptr answer{};
    std::optional<server_error> failure{};
};

/// Events of a connection for its pool. Called from the connection's handlers, never inside a call
/// of the pool to the connection; a callback may call the connection.
struct connection_events {
    /// The query is complete: see `answer` and `failure`.
    std::function<void(
        const class connection& which, const std::shared_ptr<pending_query>& finished)>
        answered;
    /// The connection is broken and closed; `unanswered` are the pending queries, in order.
    std::function<void(
        const connection& which, std::deque<std::shared_ptr<pending_query>> unanswered,
        const std::string& why)>
        lost;
};

/// One connection in pipeline mode on the loop. Sends statements immediately, each followed by its
/// own sync point and therefore in its own transaction; answers arrive in order. Thread: the loop's
/// only. Shared, because handlers in the reactor may outlive the pool's reference.
class connection : public std::enable_shared_from_this<connection> {
public:
    /// Takes over a logged-in, non-blocking connection. `silence_max`: how long the server may be
    /// silent while it owes an answer before the connection counts as broken.
    connection(
        const boost::asio::any_io_executor& loop, connection_ptr raw,
        std::chrono::milliseconds silence_max, connection_events events)
        : raw_{std::move(raw)},
          socket_{loop},
          silence_max_{silence_max},
          events_{std::move(events)} {}
    ~connection();

    /// Starts to read. Returns false if the connection is unusable.
    [[nodiscard]] bool start();

    /// Sends one query. Reports a failure to send later, through `lost`.
    void send(std::shared_ptr<pending_query> query);

    /// Closes immediately and returns the unanswered queries. No events follow.
    std::deque<std::shared_ptr<pending_query>> close();

    /// Excludes the connection from further queries. It waits only for the answers that it owes.
    void retire() noexcept { is_retired_ = true; }
    [[nodiscard]] bool is_retired() const noexcept { return is_retired_; }

    /// Declares the connection broken if the server is silent for too long; calls `lost` then.
    void check_silence(deadline::clock::time_point now);
    /// The time at which check_silence() does so; never if no answer is owed.
    [[nodiscard]] deadline::clock::time_point broken_at() const noexcept;

    /// Unanswered queries, in order.
    [[nodiscard]] const std::deque<std::shared_ptr<pending_query>>& in_flight() const noexcept {
        return in_flight_;
    }
    /// Since when the server has been silent while it owes an answer; now if it owes none.
    [[nodiscard]] deadline::clock::time_point silent_since() const noexcept {
        return in_flight_.empty() ? deadline::clock::now() : last_heard_;
    }
    [[nodiscard]] deadline::clock::time_point opened_at() const noexcept { return opened_at_; }

private:
    void await_readable();
    void await_writable();
    void on_readable();
    void flush();
    [[nodiscard]] bool put(pending_query& query);
    [[nodiscard]] bool put_deallocate(const std::string& server_name);
    void read_results();
    void take(result_ptr next);
    void take_failure(pending_query& query, const PGresult& result);
    void finish_first();
    [[nodiscard]] bool retry_unprepared(const std::shared_ptr<pending_query>& query);
    [[nodiscard]] bool retry_deadlocked(const std::shared_ptr<pending_query>& query);
    void send_again(const std::shared_ptr<pending_query>& query);
    void fail(const std::string& why);
    void fail_later(const std::string& why);
    void release();

    connection_ptr raw_;
    boost::asio::posix::stream_descriptor socket_;
    std::chrono::milliseconds silence_max_;
    connection_events events_;
    statement_cache statements_;
    std::deque<std::shared_ptr<pending_query>> in_flight_;
    deadline::clock::time_point opened_at_ = deadline::clock::now();
    deadline::clock::time_point last_heard_ = opened_at_;
    bool writing_ = false;  ///< Waiting until the socket takes more.
    bool is_retired_ = false;
};

}  // namespace reelsd::db
