#include <reelsd/base/sleep.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace reelsd {

bool stoppable_sleep_until(std::chrono::steady_clock::time_point end, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never_notified;
    std::unique_lock lock{mutex};
    never_notified.wait_until(lock, stop, end, [] { return false; });
    return !stop.stop_requested();
}

bool stoppable_sleep(std::chrono::duration<double> duration, const std::stop_token& stop) {
    using steady_clock = std::chrono::steady_clock;
    const auto length = std::max(duration, std::chrono::duration<double>{0});
    return stoppable_sleep_until(
        steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(length), stop);
}

}  // namespace reelsd
