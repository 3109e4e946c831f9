#include "queue_model.hpp"

#include <reelsd/base/bounds.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace reelsd::simulation {
namespace {

using jobs::job_status;

/// As first_queued_turn().
constexpr std::int64_t first_queued_turn = std::int64_t{1} << 40U;

/// As in jobs.rescue.
constexpr std::size_t rescue_max = 100;

void free(model_row& row, instant now, instant run_at) {
    row.status = job_status::pending;
    row.run_at = run_at;
    row.waits_for = run_at > now ? waits_for_time : "";
    row.permit.clear();
    row.lease_until = {};
    row.worker.clear();
}

void end_as(model_row& row, job_status status) {
    row.status = status;
    row.waits_for.clear();
    row.permit.clear();
    row.lease_until = {};
    row.worker.clear();
}

void fail(model_row& row, jobs::job_error_code code, const std::string& text) {
    end_as(row, job_status::error);
    row.error_code = code;
    row.error = text;
}

void add_failed_attempt(model_row& row, std::string_view cause, std::string_view step) {
    auto& kept = row.failed_attempts;
    if (kept.size() == bounds::failed_attempts_max) kept.erase(kept.begin());
    kept.push_back(fmt::format("{} {} {} {}", row.attempt, row.worker, cause, step));
}

/// The row after the end of an attempt.
void apply(model_row& row, const jobs::transition& ended, instant now) {
    if (const auto* success = std::get_if<jobs::completed>(&ended)) {
        end_as(row, job_status::done);
        row.result = success->result;
    } else if (const auto* failure = std::get_if<jobs::failed>(&ended)) {
        add_failed_attempt(row, name_of(failure->why.cause), failure->why.step);
        fail(row, failure->code, failure->text);
    } else if (const auto* later = std::get_if<jobs::retried>(&ended)) {
        add_failed_attempt(row, name_of(later->why.cause), later->why.step);
        free(row, now, now + in_clock_units(later->delay));
    } else {
        // A released job keeps its place.
        const auto* snooze = std::get_if<jobs::snoozed>(&ended);
        const auto place = std::min(row.run_at, now);
        free(row, now, snooze == nullptr ? place : now + in_clock_units(snooze->delay));
        const auto* lined_up = std::get_if<jobs::awaiting_permit>(&ended);
        if (lined_up != nullptr) row.waits_for = lined_up->platform;
        --row.attempt;
    }
}

/// Whether a claim whose answer was lost took the row for the worker. Rows that are not
/// `processing` have no worker.
template <class Request>
bool was_lost(const model_row& row, const Request& request) {
    return row.worker == request.worker && row.claim_epoch < request.claim_epoch;
}

template <class List, class Value>
bool contains(const List& list, const Value& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

job_id queue_model::submit(instant now, account_id by) {
    const auto first = active_.lower_bound({by.value, 0});
    const auto after = active_.lower_bound({by.value + 1, 0});
    const auto active = static_cast<std::size_t>(std::distance(first, after));
    const bool is_queued = active >= concurrent_jobs_;
    const auto queued_turn =
        active == 0 ? 0 : std::max(first_queued_turn, 1 + std::prev(after)->first.second);
    const model_row row{
        .id = {++last_id_},
        .account = by,
        .turn = is_queued ? queued_turn : next_turn(by),
        .run_at = now,
        .waits_for = is_queued ? waits_for_account : "",
        .permit = {},
        .lease_until = {},
        .worker = {},
        .claim_epoch = {},
        .error_code = {},
        .error = {},
        .result = {},
        .failed_attempts = {}};
    put(row_change::submitted, row);
    return row.id;
}

std::int64_t queue_model::next_turn(account_id of) const {
    const auto after = active_.lower_bound({of.value, first_queued_turn});
    const bool has_active = after != active_.begin() && std::prev(after)->first.first == of.value;
    return 1 + std::max(last_turn_, has_active ? std::prev(after)->first.second : 0);
}

void queue_model::release_queued(instant now, account_id of) {
    std::vector<std::int64_t> waiting;
    std::size_t read = 0;
    for (auto entry = active_.lower_bound({of.value, 0});
         entry != active_.end() && entry->first.first == of.value && read < concurrent_jobs_;
         ++entry, ++read) {
        if (rows_.at(entry->second).waits_for == waits_for_account)
            waiting.push_back(entry->second);
    }
    for (const auto id : waiting) {
        auto row = rows_.at(id);
        row.waits_for.clear();
        row.turn = next_turn(of);
        row.run_at = now;
        put(row_change::released, row);
    }
}

bool queue_model::remove(instant now, job_id job) {
    const auto match = rows_.find(job.value);
    if (match == rows_.end()) return false;
    const auto owner = match->second.account;
    unindex(match->second);
    observe_(row_change::removed, &match->second, nullptr);
    rows_.erase(match);
    release_queued(now, owner);
    return true;
}

std::vector<std::int64_t> queue_model::to_claim(const jobs::claim_request& request) const {
    const auto most = static_cast<std::size_t>(request.jobs_max);
    std::vector<std::int64_t> taken;
    if (request.from_turn == 0) {
        for (const auto& [until, id] : leased_) {
            if (was_lost(rows_.at(id), request) && !contains(request.in_flight, job_id{id}))
                taken.push_back(id);
        }
        std::sort(taken.begin(), taken.end());
        if (taken.size() > most) taken.resize(most);
    }
    for (const auto& [turn, id] : ready_) {
        if (taken.size() == most) break;
        if (turn < request.from_turn) continue;
        if (!contains(request.in_flight, job_id{id})) taken.push_back(id);
    }
    return taken;
}

std::vector<jobs::claimed_job> queue_model::claim(instant now, const jobs::claim_request& request) {
    std::vector<jobs::claimed_job> claimed;
    for (const auto id : to_claim(request)) {
        claimed.push_back(take(rows_.at(id), now, request));
        last_turn_ = std::max(last_turn_, rows_.at(id).turn);
    }
    const auto by_turn = [this](const auto& left, const auto& right) {
        const place left_place{rows_.at(left.id.value).turn, left.id.value};
        return left_place < place{rows_.at(right.id.value).turn, right.id.value};
    };
    std::sort(claimed.begin(), claimed.end(), by_turn);
    return claimed;
}

jobs::claimed_job queue_model::take(
    model_row row, instant now, const jobs::claim_request& request) {
    if (row.status == job_status::pending) ++row.attempt;
    row.status = job_status::processing;
    row.waits_for.clear();
    ++row.claim;
    row.worker = request.worker;
    row.claim_epoch = request.claim_epoch;
    row.lease_until = now + in_clock_units(request.lease);
    put(row_change::claimed, row);
    return {
        .id = row.id,
        .account = row.account,
        .url = {},
        .claim = row.claim,
        .attempt = row.attempt,
        .created_at = {},
        .fresh = false,
        .permit = row.permit,
        .turn = row.turn};
}

bool queue_model::is_behind_own_account(job_id job) const {
    const auto& row = rows_.at(job.value);
    const auto end = active_.lower_bound({row.account.value, row.turn});
    const auto first = active_.lower_bound({row.account.value, 0});
    return std::any_of(first, end, [&](const auto& entry) {
        const auto& earlier = rows_.at(entry.second);
        if (earlier.status == job_status::processing) return earlier.permit.empty();
        return earlier.waits_for.empty();
    });
}

std::map<std::int64_t, job_id> queue_model::heads() const {
    std::map<std::int64_t, job_id> first;
    for (const auto& [where, id] : line_) first.try_emplace(where.first, job_id{id});
    return first;
}

std::int64_t queue_model::next_in_line(const jobs::claim_request& request) const {
    const auto first = heads();
    const auto is_free = [&](const auto& head) {
        return !contains(request.in_flight, head.second) && !is_behind_own_account(head.second);
    };
    const auto next = first.upper_bound(last_account_);
    auto match = std::find_if(next, first.end(), is_free);
    if (match != first.end()) return match->second.value;
    match = std::find_if(first.begin(), next, is_free);
    return match == next ? 0 : match->second.value;
}

jobs::line_answer queue_model::claim_in_line(
    instant now, const jobs::claim_request& request, const jobs::platform_line& line) {
    const jobs::line_answer empty{.job = std::nullopt, .wait = {}, .is_empty = true};
    if (line_.empty()) return empty;
    const auto later = [&](instant at) { return std::max(seconds_f{0}, seconds_f{at - now}); };
    if (next_permit_ > now) return {.job = std::nullopt, .wait = later(next_permit_)};
    const auto id = next_in_line(request);
    if (id == 0) return {.job = std::nullopt, .wait = seconds_f{1}};
    auto row = rows_.at(id);
    row.permit = line.resolvers.front();
    last_account_ = row.account.value;
    next_permit_ = now + in_clock_units(line.interval);
    return {.job = take(row, now, request), .wait = later(next_permit_)};
}

bool queue_model::ask_permit(
    instant now, const jobs::lease& held, const jobs::platform_line& line) {
    const auto* const current = held_row(held);
    if (current == nullptr || !line_.empty() || next_permit_ > now) return false;
    if (is_behind_own_account(held.job)) return false;
    next_permit_ = now + in_clock_units(line.interval);
    auto row = *current;
    row.permit = line.resolvers.front();
    put(row_change::permitted, row);
    return true;
}

std::vector<jobs::lease> queue_model::renew(
    instant now, const std::vector<jobs::lease>& held, seconds_f lease) {
    std::vector<jobs::lease> kept;
    for (const auto& held_lease : held) {
        const auto* const current = held_row(held_lease);
        if (current == nullptr) continue;
        auto row = *current;
        row.lease_until = now + in_clock_units(lease);
        put(row_change::renewed, row);
        kept.push_back(held_lease);
    }
    return kept;
}

std::vector<job_id> queue_model::lost_among(const std::vector<jobs::lease>& held) const {
    std::vector<job_id> lost;
    for (const auto& one : held) {
        if (held_row(one) == nullptr) lost.push_back(one.job);
    }
    return lost;
}

std::vector<job_id> queue_model::rescue(instant now, const jobs::rescue_request& request) {
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
        auto row = rows_.at(delayed_.begin()->second);
        row.waits_for.clear();
        put(row_change::delay_ended, row);
    }
    leave_other_lines(request.line_host.value_or(""));
    std::vector<std::int64_t> expired;
    for (const auto& [until, id] : leased_) {
        if (until >= now || expired.size() == rescue_max) break;
        const auto& row = rows_.at(id);
        if (contains(request.held, jobs::lease{row.id, row.claim})) continue;
        if (!was_lost(row, request)) expired.push_back(id);
    }
    std::vector<job_id> ended;
    for (const auto id : expired) {
        auto row = rows_.at(id);
        row.run_at = now;
        add_failed_attempt(row, "lease_expired", "");
        if (row.attempt < request.attempts_max) {
            free(row, now, now);
        } else {
            fail(row, jobs::job_error_code::internal, request.exhausted_text);
            ended.push_back(row.id);
        }
        put(row_change::rescued, row);
    }
    for (const auto job : ended) release_queued(now, rows_.at(job.value).account);
    return ended;
}

void queue_model::leave_other_lines(const std::string& served_host) {
    for (const auto& [where, id] : std::map{line_}) {
        auto row = rows_.at(id);
        if (row.waits_for == served_host) continue;
        row.waits_for.clear();
        put(row_change::released, row);
    }
}

bool queue_model::report(instant now, const jobs::lease& held, const jobs::transition& ended) {
    const auto* const current = held_row(held);
    if (current == nullptr) return false;
    auto row = *current;
    apply(row, ended, now);
    put(row_change::reported, row);
    release_queued(now, row.account);
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

const model_row* queue_model::held_row(const jobs::lease& held) const {
    const auto* const row = find(held.job);
    const bool is_current =
        row != nullptr && row->claim == held.claim && row->status == job_status::processing;
    return is_current ? row : nullptr;
}

void queue_model::put(row_change why, const model_row& after) {
    const auto match = rows_.find(after.id.value);
    if (match == rows_.end()) {
        observe_(why, nullptr, &after);
        rows_.emplace(after.id.value, after);
    } else {
        unindex(match->second);
        observe_(why, &match->second, &after);
        match->second = after;
    }
    index(after);
}

void queue_model::index(const model_row& row) {
    const auto id = row.id.value;
    if (row.status == job_status::processing) leased_.emplace(row.lease_until, id);
    const bool is_pending = row.status == job_status::pending;
    if (is_pending || row.status == job_status::processing)
        active_.emplace(place{row.account.value, row.turn}, id);
    if (!is_pending) return;
    if (row.waits_for.empty()) {
        ready_.emplace(row.turn, id);
    } else if (row.waits_for == waits_for_time) {
        delayed_.emplace(row.run_at, id);
    } else if (row.waits_for != waits_for_account) {
        line_.emplace(place{row.account.value, row.turn}, id);
    }
}

void queue_model::unindex(const model_row& row) {
    const auto id = row.id.value;
    const place where{row.account.value, row.turn};
    leased_.erase({row.lease_until, id});
    ready_.erase({row.turn, id});
    delayed_.erase({row.run_at, id});
    line_.erase(where);
    active_.erase(where);
}

}  // namespace reelsd::simulation
