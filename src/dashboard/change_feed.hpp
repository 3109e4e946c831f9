#pragma once

#include <reelsd/async/condition.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/change_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::dashboard {

/// A change as server-sent events carry it, ready to be sent, and where a reader is after it.
[[nodiscard]] std::string event_text(const jobs::job_change& change);
[[nodiscard]] std::string event_text(const jobs::job_deletion& deletion);
/// "Load everything anew": too much was missed.
[[nodiscard]] std::string reset_event();
/// Tells the reader where it is, and nothing else.
[[nodiscard]] std::string position_event(time_point at);
/// The position in a `Last-Event-ID`; nothing unless position_event() could have made it.
[[nodiscard]] std::optional<time_point> position_in(std::string_view last_event_id);

/// When to tell the pages of an account to load everything again, because it has too many changes:
/// at once, then at most once in `reset_interval`. Loop's thread only.
class reset_schedule {
public:
    void request(account_id account) { accounts_[account].is_requested = true; }
    [[nodiscard]] bool is_requested(account_id account) const;
    /// The accounts whose pages are to be reset at `now`, each of which is then served.
    [[nodiscard]] std::vector<account_id> take_due(deadline::clock::time_point now);

private:
    struct account_state {
        deadline::clock::time_point next{};  ///< No reset before this.
        bool is_requested = false;
    };
    std::map<account_id, account_state> accounts_;
};

/// A page loads some 100 reels on a reset: a busy account costs that much once in this time.
inline constexpr std::chrono::seconds reset_interval{5};

/// Looks for changes on behalf of all open pages at once, while there are any: one look each half
/// second, whatever their number. Loop's thread only.
class change_feed {
public:
    change_feed(jobs::change_store store, log::logger log) : store_{store}, log_{std::move(log)} {}

    /// One open page. Events queue here until they are sent; a page that does not read is told to
    /// load anew.
    class listener {
    public:
        listener(change_feed& feed, account_id account);
        listener(const listener&) = delete;
        listener& operator=(const listener&) = delete;
        ~listener();

        /// What is to be sent, waiting until `by` for something; empty when nothing came, and when
        /// it was woken.
        boost::asio::awaitable<std::string> next(deadline by);
        void wake() { arrived_.notify_all(); }

    private:
        friend class change_feed;
        void put(const std::string& event);

        change_feed& feed_;
        account_id account_;
        std::deque<std::string> waiting_;
        async::condition arrived_;
    };

    /// What a page that was away has missed since `since`, as events; reset_event() when that is
    /// too long ago or too much. Without `since`, or after a reset, also what is in work.
    boost::asio::awaitable<std::string> missed(
        account_id account, std::optional<time_point> since, deadline by);

    /// Looks for changes until it is cancelled.
    boost::asio::awaitable<void> run();

    [[nodiscard]] std::size_t listeners() const noexcept { return listeners_.size(); }

private:
    boost::asio::awaitable<void> look();
    boost::asio::awaitable<void> forget_some();
    [[nodiscard]] bool is_new(std::int64_t job, time_point at, time_point until);
    void publish(account_id account, const std::string& event);
    void publish(const jobs::change_batch& batch);

    jobs::change_store store_;
    log::logger log_;
    std::set<listener*> listeners_;
    async::condition first_came_;
    std::optional<time_point> position_;
    /// What was published lately: looks overlap. By time, then job; deletions as negative numbers.
    std::set<std::pair<time_point, std::int64_t>> published_;
    reset_schedule resets_;
    deadline forget_at_ = deadline::after({});
    /// One warning for all failures in a row.
    bool is_forgetting_in_vain_ = false;
};

}  // namespace reelsd::dashboard
