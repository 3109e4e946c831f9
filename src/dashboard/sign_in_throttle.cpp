#include "sign_in_throttle.hpp"

#include <reelsd/base/text.hpp>

#include <boost/asio/ip/address.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelsd::dashboard {
namespace {

/// Tolerance for sums of fractions.
constexpr double rounding = 1e-6;

/// The /64 of an IPv6 address, because one client may have all of its addresses.
std::string network_of(const std::string& remote) {
    boost::system::error_code failed;
    const auto address = boost::asio::ip::make_address(remote, failed);
    if (failed || !address.is_v6()) return remote;
    constexpr std::size_t network_bytes = 8;
    const auto bytes = address.to_v6().to_bytes();
    std::string network;
    for (std::size_t at = 0; at < network_bytes; ++at) network += fmt::format("{:02x}", bytes[at]);
    return network;
}

}  // namespace

sign_in_throttle::bucket& sign_in_throttle::filled_bucket(
    const std::string& key, const rule& by, time_point now) {
    auto& target = buckets_.try_emplace(key, bucket{by.capacity, now, by}).first->second;
    const std::chrono::duration<double> passed =
        std::max(now - target.filled, time_point::duration::zero());
    target.attempts = std::min(by.capacity, target.attempts + passed / by.refill);
    target.filled = now;
    return target;
}

std::vector<sign_in_throttle::counted> sign_in_throttle::buckets_of(const guess& attempt) {
    const auto account = ascii_lower(attempt.email);
    if (!attempt.device.empty()) return {{"device " + attempt.device + " " + account, both_rule}};
    const auto network = network_of(attempt.remote);
    return {
        {"both " + network + " " + account, both_rule},
        {"remote " + network, remote_rule},
        {"email " + account, email_rule}};
}

int sign_in_throttle::take(const guess& attempt, time_point now) {
    forget_full(now);
    const auto all = buckets_of(attempt);
    double wait = 0;
    for (const auto& counts : all) {
        const auto& target = filled_bucket(counts.key, counts.by, now);
        if (target.attempts < 1 - rounding)
            wait = std::max(wait, (1 - target.attempts) * target.by.refill.count());
    }
    if (wait > 0) return std::max(1, static_cast<int>(std::ceil(wait - rounding)));
    for (const auto& counts : all) buckets_.at(counts.key).attempts -= 1;
    return 0;
}

void sign_in_throttle::give_back(const guess& attempt) {
    for (const auto& counts : buckets_of(attempt)) {
        const auto known = buckets_.find(counts.key);
        if (known == buckets_.end()) continue;
        auto& target = known->second;
        target.attempts = std::min(target.by.capacity, target.attempts + 1);
    }
}

void sign_in_throttle::forget_full(time_point now) {
    constexpr std::chrono::minutes sweep_interval{1};
    if (now < next_sweep_ && buckets_.size() < buckets_max) return;
    next_sweep_ = now + sweep_interval;
    std::erase_if(buckets_, [now](const auto& known) {
        const auto& target = known.second;
        const std::chrono::duration<double> passed = now - target.filled;
        return target.attempts + passed / target.by.refill >= target.by.capacity;
    });
    if (buckets_.size() >= buckets_max) forget_oldest();
}

void sign_in_throttle::forget_oldest() {
    // Removes a tenth at a time, because finding them reads all. Buckets in use were filled
    // recently, so that a flood of invented addresses does not remove those of real accounts.
    std::vector<time_point> filled;
    filled.reserve(buckets_.size());
    for (const auto& [key, target] : buckets_) filled.push_back(target.filled);
    const auto oldest = filled.begin() + static_cast<std::ptrdiff_t>(filled.size() / 10);
    std::nth_element(filled.begin(), oldest, filled.end());
    // Removes no more than that, even if all were filled at the same time.
    auto excess = filled.size() / 10;
    std::erase_if(buckets_, [&excess, until = *oldest](const auto& known) {
        if (excess == 0 || known.second.filled > until) return false;
        --excess;
        return true;
    });
}

}  // namespace reelsd::dashboard
