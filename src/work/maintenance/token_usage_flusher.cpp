#include <reelsd/work/maintenance/token_usage_flusher.hpp>

#include <chrono>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto flush_interval = 30s;
constexpr auto flush_time_max = 2s;

}  // namespace

token_usage_flusher::token_usage_flusher(
    const asio::any_io_executor& loop, write_function write, log::logger log)
    : periodic_task{"flush token usage", loop, flush_interval, std::move(log)},
      write_{std::move(write)} {}

asio::awaitable<void> token_usage_flusher::step() {
    return flush(deadline::after(flush_time_max));
}

asio::awaitable<void> token_usage_flusher::flush(deadline by) {
    if (used_.empty()) co_return;
    const std::vector<token_id> used{used_.begin(), used_.end()};
    co_await write_(used, by);
    for (const auto token : used) used_.erase(token);
}

asio::awaitable<bool> token_usage_flusher::stop(deadline by) {
    const bool has_ended = co_await periodic_task::stop(by);
    static_cast<void>(co_await succeeds(name(), flush(by.at_most(flush_time_max))));
    co_return has_ended;
}

}  // namespace reelsd::work
