#pragma once

#include "call_failure.hpp"
#include <reelsd/base/clock.hpp>

#include <variant>

/// How often and when a failed question is asked again. Source: model-api.md C.
namespace reelsd::model {

/// Here, after a pause.
struct try_again {
    seconds_f pause{0};
};
/// Not by this worker: the job may as well wait in the queue.
struct snooze {
    seconds_f wait{0};
    bool opens_circuit = false;  ///< Nobody needs to ask before that.
};
struct give_up {};
using next_try = std::variant<try_again, snooze, give_up>;

/// Pure. `tries` of the same question have been made, this failed one included (1 or more); `dice`
/// in [0, 1] spreads the pauses of workers that failed together.
[[nodiscard]] next_try after_failed_try(const call_failure& why, int tries, double dice) noexcept;

}  // namespace reelsd::model
