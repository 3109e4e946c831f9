#include "sign_in_throttle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace reelsd::dashboard {
namespace {

/// Sums of fractions come out a little short.
constexpr double rounding = 1e-6;

std::string lower(std::string text) {
    for (auto& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    return text;
}

/// Of IPv6 the first half: a household has 2^64 addresses. An address that is written short is cut
/// a little later, which only makes its network smaller.
std::string network_of(const std::string& remote) {
    constexpr int groups_of_a_network = 4;
    std::size_t at = 0;
    for (int groups = 0; groups < groups_of_a_network; ++groups) {
        at = remote.find(':', at);
        if (at == std::string::npos) return remote;
        ++at;
    }
    return remote.substr(0, at);
}

std::array<std::string, 3> keys_of(const std::string& email, const std::string& remote) {
    const auto account = lower(email);
    const auto network = network_of(remote);
    return {"both " + network + " " + account, "remote " + network, "email " + account};
}

}  // namespace

sign_in_throttle::bucket& sign_in_throttle::filled_bucket(
    const std::string& key, const rule& by, time_point now) {
    auto& one = buckets_.try_emplace(key, bucket{by.capacity, now, by}).first->second;
    const std::chrono::duration<double> passed =
        std::max(now - one.filled, time_point::duration::zero());
    one.attempts = std::min(by.capacity, one.attempts + passed / by.refill);
    one.filled = now;
    return one;
}

int sign_in_throttle::take(const std::string& email, const std::string& remote, time_point now) {
    forget_full(now);
    const auto keys = keys_of(email, remote);
    const std::array rules{both_rule, remote_rule, email_rule};
    double wait = 0;
    for (std::size_t at = 0; at < keys.size(); ++at) {
        const auto& one = filled_bucket(keys[at], rules[at], now);
        if (one.attempts < 1 - rounding)
            wait = std::max(wait, (1 - one.attempts) * one.by.refill.count());
    }
    if (wait > 0) return std::max(1, static_cast<int>(std::ceil(wait - rounding)));
    for (const auto& key : keys) buckets_.at(key).attempts -= 1;
    return 0;
}

void sign_in_throttle::give_back(const std::string& email, const std::string& remote) {
    for (const auto& key : keys_of(email, remote)) {
        const auto known = buckets_.find(key);
        if (known == buckets_.end()) continue;
        auto& one = known->second;
        one.attempts = std::min(one.by.capacity, one.attempts + 1);
    }
}

void sign_in_throttle::forget_full(time_point now) {
    constexpr std::chrono::minutes sweep_interval{1};
    if (now < next_sweep_ && buckets_.size() < buckets_max) return;
    next_sweep_ = now + sweep_interval;
    std::erase_if(buckets_, [now](const auto& known) {
        const auto& one = known.second;
        const std::chrono::duration<double> passed = now - one.filled;
        return one.attempts + passed / one.by.refill >= one.by.capacity;
    });
    // Whoever has filled it has made as many guesses: the oldest lose nothing that matters.
    while (buckets_.size() > buckets_max) buckets_.erase(buckets_.begin());
}

}  // namespace reelsd::dashboard
