#include "ledger.hpp"

#include <fmt/format.h>

namespace reelsd::simulation {
namespace {

using jobs::job_status;

/// Enough for a job's whole history at the usual rates; 112 bytes each.
constexpr std::size_t events_max = 100'000;
/// Events of one job in a report.
constexpr std::size_t reported_events_max = 60;

constexpr std::string_view name_of(row_change why) {
    switch (why) {
        case row_change::submitted: return "submitted";
        case row_change::claimed: return "claimed";
        case row_change::permitted: return "permitted";
        case row_change::renewed: return "renewed";
        case row_change::rescued: return "rescued";
        case row_change::delay_ended: return "delay ended";
        case row_change::released: return "released";
        case row_change::reported: return "reported";
        case row_change::removed: return "removed";
    }
    return "changed";
}

bool has_ended(const model_row& row) {
    return row.status == job_status::done || row.status == job_status::error;
}

}  // namespace

std::string name_of(const daemon_start& which) {
    return fmt::format("d{}.{}", which.daemon, which.start);
}

void ledger::note_change(
    row_change why, const model_row* before, const model_row* after, instant database_now) {
    const auto& row = after == nullptr ? *before : *after;
    remember(
        {.job = row.id,
         .what = name_of(why),
         .by = {},
         .status = row.status,
         .attempt = row.attempt,
         .claim = row.claim,
         .worker = row.worker});
    auto& of = lives_[row.id.value];
    if (before != nullptr && after != nullptr) {
        require(!has_ended(*before), row.id, "an ended job changed");
        require(after->claim >= before->claim, row.id, "a claim number decreased");
    }
    switch (why) {
        case row_change::submitted: ++counts_.submitted; break;
        case row_change::claimed: check_claim(*before, row, of); break;
        case row_change::permitted:
        case row_change::delay_ended:
        case row_change::released: break;
        case row_change::renewed:
            require(row.lease_until >= before->lease_until, row.id, "a renewal shortened a lease");
            break;
        case row_change::rescued: check_rescue(*before, row, of, database_now); break;
        case row_change::reported: check_report(*before, row, of); break;
        case row_change::removed: check_removal(row, of); return;
    }
    check_row(row, of, database_now);
}

void ledger::check_claim(const model_row& before, const model_row& after, life& of) {
    ++counts_.claims;
    const bool is_again = before.status == job_status::processing;
    if (is_again) ++counts_.reclaimed;
    const int counted = is_again ? 0 : 1;
    require(!of.is_worked_on, after.id, "claimed while a worker runs it");
    require(after.claim == before.claim + 1, after.id, "a claim without a new number");
    require(after.attempt == before.attempt + counted, after.id, "a claim counted a wrong attempt");
    require(
        !is_again || of.last_begun != before.claim,
        after.id,
        "claimed from a worker that has begun");
    of.claimed_at = loop_.now();
}

void ledger::check_rescue(
    const model_row& before, const model_row& after, life& of, instant database_now) {
    ++counts_.rescues;
    if (has_ended(after)) ++counts_.failed;
    require(before.status == job_status::processing, after.id, "a job without a lease was rescued");
    require(before.lease_until < database_now, after.id, "rescued before its lease expired");
    require(!of.is_worked_on, after.id, "rescued while a worker runs it");
    const bool was_last = before.attempt >= rules_.attempts_max;
    require(has_ended(after) == was_last, after.id, "rescued for too many attempts");
    if (of.last_begun != before.claim) ++of.never_begun;
}

void ledger::check_report(const model_row& before, const model_row& after, life& of) {
    ++counts_.reports;
    if (after.status == job_status::done) ++counts_.done;
    if (after.status == job_status::error) ++counts_.failed;
    // An attempt that was stopped before it began is refunded.
    if (after.attempt < before.attempt && of.last_begun == before.claim) ++of.given_back;
    require(
        before.status == job_status::processing, after.id, "a job without a lease was reported");
    require(!of.is_worked_on, after.id, "reported while a worker runs it");
}

void ledger::check_row(const model_row& after, const life& of, instant database_now) {
    const bool is_processing = after.status == job_status::processing;
    require(after.attempt >= 0 && after.attempt <= after.claim, after.id, "an impossible attempt");
    require(after.attempt <= rules_.attempts_max, after.id, "too many attempts");
    require(after.worker.empty() != is_processing, after.id, "an unexpected worker");
    if (is_processing) {
        const auto lease = after.lease_until - database_now;
        require(lease > duration::zero(), after.id, "a lease that has already expired");
        require(lease <= rules_.lease_max, after.id, "a lease that is too long");
        return;
    }
    // Each claim spends an attempt, except for refunded ones.
    const int spent_max = of.begun - of.given_back + of.never_begun;
    require(after.attempt <= spent_max, after.id, "an attempt was spent without work");
    if (after.status != job_status::pending) return;
    require(after.run_at - database_now <= rules_.wait_max, after.id, "pending for too long");
}

void ledger::check_removal(const model_row& before, life& of) {
    if (!has_ended(before)) ++counts_.removed_open;
    of.is_deleted = true;
    of.deleted_at = loop_.now();
    if (!of.is_worked_on) lives_.erase(before.id.value);
}

void ledger::note_begin(const jobs::lease& held, daemon_start by) {
    ++counts_.attempts;
    remember({.job = held.job, .what = "work begins", .by = by, .claim = held.claim});
    const auto match = lives_.find(held.job.value);
    // Deleted while the answer was in transit: wasted work, but soon stopped.
    auto& of = match == lives_.end() ? lives_[held.job.value] : match->second;
    if (match == lives_.end()) {
        of.is_deleted = true;
        of.deleted_at = loop_.now();
    }
    require(!of.is_worked_on, held.job, "two workers at the same time");
    require(of.last_begun < held.claim, held.job, "work under an expired claim");
    ++of.begun;
    of.last_begun = held.claim;
    of.is_worked_on = true;
    of.worked_under = held;
    of.worker = by;
    ++in_work_;
}

void ledger::note_end(const jobs::lease& held, daemon_start by) {
    remember({.job = held.job, .what = "work ends", .by = by, .claim = held.claim});
    auto& of = lives_.at(held.job.value);
    require(of.worked_under == held && of.worker == by, held.job, "work ended that was not begun");
    of.is_worked_on = false;
    --in_work_;
    if (!of.is_deleted) return;
    const auto in_vain = loop_.now() - of.deleted_at;
    require(in_vain <= rules_.deleted_work_max, held.job, "work on a deleted job continues");
    lives_.erase(held.job.value);
}

bool ledger::has_begun(const jobs::lease& held) const {
    const auto found = lives_.find(held.job.value);
    return found != lives_.end() && found->second.last_begun == held.claim;
}

instant ledger::claimed_at(job_id job) const {
    return lives_.at(job.value).claimed_at;
}

void ledger::breach(job_id job, std::string_view what) {
    if (is_broken()) return;
    breach_ = what;
    broken_job_ = job;
    broken_step_ = loop_.steps();
}

void ledger::remember(const event& next) {
    auto stamped = next;
    stamped.step = loop_.steps();
    stamped.at = loop_.now();
    if (events_.size() < events_max) {
        events_.push_back(stamped);
    } else {
        events_[next_event_] = stamped;
    }
    next_event_ = (next_event_ + 1) % events_max;
}

std::string ledger::text_of(const event& entry) const {
    const auto at = seconds_f{entry.at - simulated_loop::start}.count();
    auto line = fmt::format("  step {:>9}  {:>11.3f} s  {:<22}", entry.step, at, entry.what);
    if (entry.by.daemon != 0)
        return fmt::format("{} {} claim {}\n", line, name_of(entry.by), entry.claim);
    return fmt::format(
        "{} now {}, attempt {}, claim {} {}\n",
        line,
        reelsd::name_of(entry.status),
        entry.attempt,
        entry.claim,
        entry.worker);
}

std::string ledger::report() const {
    std::vector<const event*> of_job;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const auto& one = events_[(next_event_ + i) % events_.size()];
        if (one.job == broken_job_) of_job.push_back(&one);
    }
    auto text = fmt::format("step {}, job {}: {}\n", broken_step_, broken_job_.value, breach_);
    const auto first =
        of_job.size() > reported_events_max ? of_job.size() - reported_events_max : 0;
    for (std::size_t i = first; i < of_job.size(); ++i) text += text_of(*of_job[i]);
    return text;
}

}  // namespace reelsd::simulation
