#include "allocator.hpp"
#include "daemon.hpp"
#include <reelsd/async/monotonic_timer.hpp>

#include <chrono>
#include <cstdint>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Nobody misses the memory sooner.
constexpr auto shrink_interval = 5s;

/// So many connections leave megabytes behind.
constexpr std::uint64_t crowd = 1000;

}  // namespace

asio::awaitable<void> daemon::shrink_after_crowds() {
    // Where the frames of their coroutines lay, the allocator would keep pages for the next ones.
    for (std::uint64_t seen = 0;;) {
        co_await async::pause(shrink_interval);
        const auto counts = server_.counts();
        const auto gone = counts.connections_accepted - counts.connections_open;
        if (gone - seen < crowd) continue;
        seen = gone;
        return_freed_memory();
    }
}

}  // namespace reelsd::app
