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

/// What a connection tells its pool. Each is called from within the connection's handlers, never
/// from within a call of the pool into it, and may call back into it.
struct connection_events {
    /// The server has spoken its last word on this exchange: see `answer` and `failure`.
    std::function<void(const std::shared_ptr<pending_query>& which)> answered;
    /// The connection is broken and closed; `unanswered` are the exchanges it owed, in order.
    std::function<void(
        const class connection& which, std::deque<std::shared_ptr<pending_query>> unanswered,
        const std::string& why)>
        lost;
};

/// One connection in pipeline mode on the loop. Statements go out at once, each followed by its own
/// sync point and thus its own transaction; answers come back in order. On the loop's thread only.
/// Shared because handlers that the reactor still holds may outlive the pool's interest.
class connection : public std::enable_shared_from_this<connection> {
public:
    /// Takes over a logged-in, non-blocking connection. `silence_max`: how long the server may owe
    /// an answer without a word before the connection counts as broken.
    connection(
        const boost::asio::any_io_executor& loop, connection_ptr raw,
        std::chrono::milliseconds silence_max, connection_events events);
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection();

    /// Begins to read. False when the connection is unusable already.
    [[nodiscard]] bool start();

    /// Sends one exchange. A failure to do so is reported later, through `lost`.
    void send(std::shared_ptr<pending_query> one);

    /// Closes at once and gives back what was owed; no more events after this.
    std::deque<std::shared_ptr<pending_query>> close();

    /// Declares the connection broken if the server has been silent for too long; `lost` is called
    /// then.
    void check_silence(deadline::clock::time_point now);
    /// When check_silence() would do so; never, if nothing is owed.
    [[nodiscard]] deadline::clock::time_point silent_at() const noexcept;

    /// Exchanges that the server owes an answer, in order.
    [[nodiscard]] const std::deque<std::shared_ptr<pending_query>>& in_flight() const noexcept {
        return in_flight_;
    }
    /// Since when the server has owed something without a word; now, if nothing is owed.
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
