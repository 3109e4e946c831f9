#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/domain/jobs/job_watch.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

namespace reelsd::jobs {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto look_interval = 500ms;
constexpr auto look_time_max = 2s;
/// Nobody follows: a wake-up now and then costs nothing.
constexpr auto idle_time = 1h;
/// Asked about by one statement.
constexpr std::size_t followed_max = 1000;

}  // namespace

job_watch::follower::follower(job_watch& watch, job_id job, time_point seen)
    : watch_{watch},
      job_{job},
      seen_{seen},
      place_{watch.board_, job, completion_board::ticket::others_ends::found_by_holder} {
    watch_.followers_.emplace(job.value, this);
    watch_.first_came_.notify_all();
}

job_watch::follower::~follower() {
    const auto [first, last] = watch_.followers_.equal_range(job_.value);
    const auto own = std::find_if(first, last, [this](const auto& e) { return e.second == this; });
    watch_.followers_.erase(own);
}

void job_watch::tell(const followed_change& changed) {
    const auto [first, last] = followers_.equal_range(changed.job.value);
    for (auto entry = first; entry != last; ++entry) {
        auto& one = *entry->second;
        if (one.seen_ != changed.changed_at) one.wake();
    }
}

asio::awaitable<void> job_watch::look() {
    std::vector<followed_job> followed;
    for (auto entry = followers_.begin(); entry != followers_.end();) {
        const auto last = followers_.equal_range(entry->first).second;
        // Of several, the one who has seen least: nobody else is told what he knows already.
        const auto least = std::min_element(entry, last, [](const auto& one, const auto& other) {
            return one.second->seen_ < other.second->seen_;
        });
        followed.push_back({.job = job_id{entry->first}, .seen = least->second->seen_});
        entry = last;
    }
    for (std::size_t first = 0; first < followed.size(); first += followed_max) {
        const auto last = std::min(first + followed_max, followed.size());
        const std::vector<followed_job> part(
            followed.begin() + static_cast<std::ptrdiff_t>(first),
            followed.begin() + static_cast<std::ptrdiff_t>(last));
        const auto changes = co_await store_.changed_among(part, deadline::after(look_time_max));
        for (const auto& one : changes) tell(one);
    }
}

asio::awaitable<void> job_watch::run() {
    for (;;) {
        if (followers_.empty()) {
            static_cast<void>(co_await first_came_.wait(deadline::after(idle_time)));
        }
        try {
            co_await look();
        } catch (const db::failure& failure) {
            // They go on waiting, and are told when the database is back.
            log_.debug("no look at followed jobs", {{"reason", failure.what()}});
        }
        co_await async::pause(look_interval);
    }
}

}  // namespace reelsd::jobs
