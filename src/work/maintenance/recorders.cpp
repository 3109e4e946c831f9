#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/work/maintenance/recorders.hpp>

#include <boost/asio/post.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Steps shorter than this are not written.
constexpr auto write_interval = 100ms;
constexpr auto write_time_max = 2s;

constexpr auto flush_interval = 30s;
constexpr auto flush_time_max = 2s;

}  // namespace

void step_recorder::note(const jobs::claimed_job& job, std::string_view step) {
    auto reached = jobs::step_note{job.id, job.claim, std::string{step}};
    asio::post(loop_, [this, reached = std::move(reached)]() mutable {
        const auto id = reached.job;
        steps_.insert_or_assign(id, std::move(reached));
        noted_.notify_one();
    });
}

awaitable<void> step_recorder::run() {
    for (;;) {
        while (steps_.empty()) static_cast<void>(co_await noted_.wait(deadline::after(1h)));
        co_await async::pause(write_interval);
        co_await write_some();
    }
}

awaitable<void> step_recorder::write_some() {
    std::vector<jobs::step_note> reached;
    for (auto& [job, step] : std::exchange(steps_, {})) reached.push_back(std::move(step));
    try {
        co_await write_(reached, deadline::after(write_time_max));
    } catch (const db::failure& failure) {
        log().debug("recording job steps failed", {{"reason", failure.what()}});
    }
}

token_usage_flusher::token_usage_flusher(
    const asio::any_io_executor& loop, write_function write, log::logger log)
    : periodic_task{"flush token usage", loop, flush_interval, std::move(log)},
      write_{std::move(write)} {}

awaitable<void> token_usage_flusher::step() {
    return flush(deadline::after(flush_time_max));
}

awaitable<void> token_usage_flusher::flush(deadline by) {
    if (used_.empty()) co_return;
    const std::vector<token_id> used{used_.begin(), used_.end()};
    co_await write_(used, by);
    for (const auto token : used) used_.erase(token);
}

awaitable<bool> token_usage_flusher::stop(deadline by) {
    const bool has_ended = co_await periodic_task::stop(by);
    static_cast<void>(co_await succeeds(name(), flush(by.at_most(flush_time_max))));
    co_return has_ended;
}

}  // namespace reelsd::work
