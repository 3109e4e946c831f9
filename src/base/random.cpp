#include <reelsd/base/random.hpp>

#include <random>

namespace reelsd {

double random_between(double low, double high) {
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::uniform_real_distribution<double>{low, high}(engine);
}

std::uint64_t random_bits() {
    std::random_device source;
    return static_cast<std::uint64_t>(source()) << 32U | source();
}

}  // namespace reelsd
