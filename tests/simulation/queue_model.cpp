#include "queue_model.hpp"

#include <algorithm>

namespace reelsd::simulation {
namespace {

using jobs::job_status;

/// As in jobs.rescue.
constexpr std::size_t rescue_max = 100;

void free(model_row& row, instant run_at) {
    row.status = job_status::pending;
    row.run_at = run_at;
    row.lease_until = {};
    row.worker.clear();
}

void end_as(model_row& row, job_status status) {
    row.status = status;
    row.lease_until = {};
    row.worker.clear();
}

void fail(model_row& row, jobs::job_error_code code, const std::string& text) {
    end_as(row, job_status::error);
    row.error_code = code;
    row.error = text;
}

/// What an attempt's end makes of its row.
void apply(model_row& row, const jobs::transition& ended, instant now) {
    if (const auto* success = std::get_if<jobs::completed>(&ended)) {
        end_as(row, job_status::done);
        row.result = success->result;
    } else if (const auto* failure = std::get_if<jobs::failed>(&ended)) {
        fail(row, failure->code, failure->text);
    } else if (const auto* later = std::get_if<jobs::retried>(&ended)) {
        free(row, now + in_clock_units(later->delay));
    } else {
        // Handed back, it stands where it stood.
        const auto* put_off = std::get_if<jobs::postponed>(&ended);
        const auto place = std::min(row.run_at, now);
        free(row, put_off == nullptr ? place : now + in_clock_units(put_off->delay));
        --row.attempt;
    }
}

bool was_given_up(const std::string& name, const std::string& first, const std::string& current) {
    return !first.empty() && name >= first && name < current;
}

template <class List, class Value>
bool contains(const List& list, const Value& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

job_id queue_model::submit(instant now) {
    const model_row row{
        .id = {++last_id_},
        .run_at = now,
        .lease_until = {},
        .worker = {},
        .error_code = {},
        .error = {},
        .result = {}};
    put(row_change::submitted, row);
    return row.id;
}

bool queue_model::remove(job_id job) {
    const auto found = rows_.find(job.value);
    if (found == rows_.end()) return false;
    unindex(found->second);
    told_(row_change::removed, &found->second, nullptr);
    rows_.erase(found);
    return true;
}

std::vector<std::int64_t> queue_model::to_claim(
    instant now, const jobs::claim_request& wanted) const {
    const auto most = static_cast<std::size_t>(wanted.jobs_max);
    std::vector<std::int64_t> taken;
    if (!wanted.first_worker.empty()) {
        for (const auto& [until, id] : leased_) {
            const bool is_lost =
                was_given_up(rows_.at(id).worker, wanted.first_worker, wanted.worker);
            if (is_lost && !contains(wanted.in_hand, job_id{id})) taken.push_back(id);
        }
        std::sort(taken.begin(), taken.end());
        if (taken.size() > most) taken.resize(most);
    }
    for (const auto& [run_at, id] : pending_) {
        if (run_at > now || taken.size() == most) break;
        if (!contains(wanted.in_hand, job_id{id})) taken.push_back(id);
    }
    return taken;
}

std::vector<jobs::claimed_job> queue_model::claim(instant now, const jobs::claim_request& wanted) {
    std::vector<jobs::claimed_job> claimed;
    for (const auto id : to_claim(now, wanted)) {
        auto row = rows_.at(id);
        if (row.status == job_status::pending) ++row.attempt;
        row.status = job_status::processing;
        ++row.claim;
        row.worker = wanted.worker;
        row.lease_until = now + in_clock_units(wanted.lease);
        put(row_change::claimed, row);
        claimed.push_back(
            {.id = row.id,
             .account = {1},
             .url = {},
             .claim = row.claim,
             .attempt = row.attempt,
             .created_at = {}});
    }
    return claimed;
}

std::vector<jobs::holding> queue_model::renew(
    instant now, const std::vector<jobs::holding>& held, seconds_f lease) {
    std::vector<jobs::holding> kept;
    for (const auto& one : held) {
        const auto* const current = held_row(one);
        if (current == nullptr) continue;
        auto row = *current;
        row.lease_until = now + in_clock_units(lease);
        put(row_change::renewed, row);
        kept.push_back(one);
    }
    return kept;
}

std::vector<job_id> queue_model::lost_among(const std::vector<jobs::holding>& held) const {
    std::vector<job_id> lost;
    for (const auto& one : held) {
        if (held_row(one) == nullptr) lost.push_back(one.job);
    }
    return lost;
}

std::vector<job_id> queue_model::rescue(instant now, const jobs::rescue_request& wanted) {
    std::vector<std::int64_t> expired;
    for (const auto& [until, id] : leased_) {
        if (until >= now || expired.size() == rescue_max) break;
        const auto& row = rows_.at(id);
        if (contains(wanted.held, jobs::holding{row.id, row.claim})) continue;
        if (!was_given_up(row.worker, wanted.first_worker, wanted.worker)) expired.push_back(id);
    }
    std::vector<job_id> ended;
    for (const auto id : expired) {
        auto row = rows_.at(id);
        row.run_at = now;
        if (row.attempt < wanted.attempts_max) {
            free(row, now);
        } else {
            fail(row, jobs::job_error_code::internal, wanted.exhausted_text);
            ended.push_back(row.id);
        }
        put(row_change::rescued, row);
    }
    return ended;
}

bool queue_model::report(instant now, const jobs::holding& held, const jobs::transition& ended) {
    const auto* const current = held_row(held);
    if (current == nullptr) return false;
    auto row = *current;
    apply(row, ended, now);
    put(row_change::reported, row);
    return true;
}

std::vector<job_id> queue_model::ended_among(const std::vector<job_id>& awaited) const {
    std::vector<job_id> ended;
    for (const auto job : awaited) {
        const auto* const row = find(job);
        const bool is_open = row != nullptr && (row->status == job_status::pending ||
                                                row->status == job_status::processing);
        if (!is_open) ended.push_back(job);
    }
    return ended;
}

void queue_model::expire(job_id job, instant lease_until) {
    auto& row = rows_.at(job.value);
    invariant(row.status == job_status::processing);
    unindex(row);
    row.lease_until = lease_until;
    index(row);
}

void queue_model::make_due(job_id job, instant run_at) {
    auto& row = rows_.at(job.value);
    invariant(row.status == job_status::pending);
    unindex(row);
    row.run_at = run_at;
    index(row);
}

const model_row* queue_model::find(job_id job) const {
    const auto found = rows_.find(job.value);
    return found == rows_.end() ? nullptr : &found->second;
}

const model_row* queue_model::held_row(const jobs::holding& held) const {
    const auto* const row = find(held.job);
    const bool is_current =
        row != nullptr && row->claim == held.claim && row->status == job_status::processing;
    return is_current ? row : nullptr;
}

void queue_model::put(row_change why, const model_row& after) {
    const auto found = rows_.find(after.id.value);
    if (found == rows_.end()) {
        told_(why, nullptr, &after);
        rows_.emplace(after.id.value, after);
    } else {
        unindex(found->second);
        told_(why, &found->second, &after);
        found->second = after;
    }
    index(after);
}

void queue_model::index(const model_row& row) {
    if (row.status == job_status::pending) pending_.emplace(row.run_at, row.id.value);
    if (row.status == job_status::processing) leased_.emplace(row.lease_until, row.id.value);
}

void queue_model::unindex(const model_row& row) {
    if (row.status == job_status::pending) pending_.erase({row.run_at, row.id.value});
    if (row.status == job_status::processing) leased_.erase({row.lease_until, row.id.value});
}

}  // namespace reelsd::simulation
