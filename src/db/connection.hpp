#pragma once

#include "pending_query.hpp"
#include "session.hpp"
#include "statement_cache.hpp"
#include <reelsd/base/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace reelsd::db {

/// Events of a connection for its pool. Called from the connection's handlers, never inside a call
/// of the pool to the connection; a callback may call the connection.
struct connection_events {
    /// The query is complete: see `answer` and `failure`.
    std::function<void(const std::shared_ptr<pending_query>& which)> answered;
    /// The connection is broken and closed; `unanswered` are the pending queries, in order.
    std::function<void(
        const class connection& which, std::deque<std::shared_ptr<pending_query>> unanswered,
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
        std::chrono::milliseconds silence_max, connection_events events);
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection();

    /// Starts to read. Returns false if the connection is unusable.
    [[nodiscard]] bool start();

    /// Sends one query. Reports a failure to send later, through `lost`.
    void send(std::shared_ptr<pending_query> one);

    /// Closes immediately and returns the unanswered queries. No events follow.
    std::deque<std::shared_ptr<pending_query>> close();

    /// Declares the connection broken if the server has been silent for too long; `lost` is called
    /// then.
    void check_silence(deadline::clock::time_point now);
    /// The time at which check_silence() would do so; never if no answer is owed.
    [[nodiscard]] deadline::clock::time_point silent_at() const noexcept;

    /// Unanswered queries, in order.
    [[nodiscard]] const std::deque<std::shared_ptr<pending_query>>& in_flight() const noexcept {
        return in_flight_;
    }
    /// Since when the server has been silent while it owes an answer; now if it owes none.
    [[nodiscard]] deadline::clock::time_point quiet_since() const noexcept;
    [[nodiscard]] deadline::clock::time_point opened_at() const noexcept { return opened_at_; }

private:
    void await_readable();
    void await_writable();
    void on_readable();
    void flush();
    [[nodiscard]] bool put(pending_query& one);
    [[nodiscard]] bool put_deallocate(const std::string& server_name);
    void read_results();
    void take(result_ptr next);
    void take_failure(pending_query& one, const PGresult& result);
    void finish_first();
    [[nodiscard]] bool run_again(const std::shared_ptr<pending_query>& one);
    void break_up(const std::string& why);
    void break_up_later(const std::string& why);
    void release();

    connection_ptr raw_;
    boost::asio::posix::stream_descriptor socket_;
    std::chrono::milliseconds silence_max_;
    connection_events events_;
    statement_cache statements_;
    std::deque<std::shared_ptr<pending_query>> in_flight_;
    deadline::clock::time_point opened_at_ = deadline::clock::now();
    deadline::clock::time_point last_word_ = opened_at_;
    bool writing_ = false;  ///< Waiting until the socket takes more.
};

}  // namespace reelsd::db
