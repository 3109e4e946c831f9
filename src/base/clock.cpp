#include <reelsd/base/clock.hpp>

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>

namespace reelsd {

std::string to_rfc3339(time_point when) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(when);
    const std::time_t seconds = whole.time_since_epoch().count();
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", parts);
}

deadline deadline::after(clock::duration from_now) noexcept {
    return deadline{clock::now() + std::max(from_now, clock::duration::zero())};
}

deadline::clock::duration deadline::remaining() const noexcept {
    return std::max(when_ - clock::now(), clock::duration::zero());
}

deadline deadline::at_most(clock::duration from_now) const noexcept {
    return deadline{std::min(when_, after(from_now).when_)};
}

}  // namespace reelsd
