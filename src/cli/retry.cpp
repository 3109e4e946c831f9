#include "retry.hpp"

#include <reelsd/base/invariant.hpp>

#include <algorithm>

namespace reelsd::cli {
namespace {

bool worth_another_try(std::optional<int> status) {
    if (!status) return true;
    switch (*status) {
        case 429:
        case 500:
        case 502:
        case 503: return true;
        default: return false;
    }
}

}  // namespace

std::optional<std::chrono::seconds> delay_before_next(
    const retry_policy& policy, int attempts_made, const attempt_outcome& outcome) {
    invariant(attempts_made >= 1);
    if (attempts_made >= policy.attempts_max || !worth_another_try(outcome.status)) return {};
    auto own = policy.first_delay;
    for (int made = 1; made < attempts_made && own < policy.delay_max; ++made) own *= 2;
    const auto delay = std::max(own, outcome.retry_after.value_or(own));
    if (delay > policy.delay_max) return {};
    return delay;
}

}  // namespace reelsd::cli
