#include <reelsd/base/invariant.hpp>
#include <reelsd/work/engine/lease_table.hpp>

#include <algorithm>
#include <chrono>

namespace reelsd::work {
namespace {

/// Fraction of a lease's length.
constexpr double safe_fraction = 0.8;
constexpr double check_fraction = 0.05;

bool is_in(const std::vector<jobs::lease>& list, const jobs::lease& lease) {
    return std::find(list.begin(), list.end(), lease) != list.end();
}

}  // namespace

void lease_table::add(const jobs::lease& lease, time_point sent) {
    const auto [place, is_new] = leases_.try_emplace(lease.job.value, entry{lease.claim, sent});
    invariant(is_new);
}

bool lease_table::contains(const jobs::lease& lease) const {
    const auto held = leases_.find(lease.job.value);
    return held != leases_.end() && held->second.claim == lease.claim;
}

std::vector<jobs::lease> lease_table::leases() const {
    std::vector<jobs::lease> all;
    all.reserve(leases_.size());
    for (const auto& [id, held] : leases_) all.push_back({job_id{id}, held.claim});
    return all;
}

bool lease_table::is_lease_safe(job_id job, time_point now) const {
    const auto held = leases_.find(job.value);
    return held != leases_.end() && is_safe(held->second, now);
}

std::vector<job_id> lease_table::expired(time_point now) const {
    std::vector<job_id> unsafe;
    for (const auto& [id, held] : leases_) {
        if (!is_safe(held, now)) unsafe.push_back(job_id{id});
    }
    return unsafe;
}

std::vector<job_id> lease_table::apply_renewal(
    const std::vector<jobs::lease>& requested, const jobs::renewal& answer, time_point sent) {
    std::vector<job_id> lost;
    for (const auto& lease : requested) {
        if (!contains(lease)) continue;
        if (is_in(answer.renewed, lease)) {
            leases_.at(lease.job.value).start = sent;
        } else if (!is_in(answer.skipped, lease)) {
            lost.push_back(lease.job);
        }
    }
    return lost;
}

lease_table::duration lease_table::check_interval() const {
    return std::min<duration>(part(check_fraction), std::chrono::seconds{1});
}

bool lease_table::is_safe(const entry& held, time_point now) const {
    return now - held.start < part(safe_fraction);
}

}  // namespace reelsd::work
