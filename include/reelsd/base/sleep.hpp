#pragma once

#include <chrono>
#include <stop_token>

namespace reelsd {

/// Blocks the calling thread until `end`, or until `stop` is requested if that is earlier. Returns
/// whether it slept to the end.
bool stoppable_sleep_until(std::chrono::steady_clock::time_point end, const std::stop_token& stop);

/// Likewise; a duration that is not positive does not block.
bool stoppable_sleep(std::chrono::duration<double> duration, const std::stop_token& stop);

}  // namespace reelsd
