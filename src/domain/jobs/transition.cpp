#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/failure_text.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelsd::jobs {
namespace {

/// After the operator has removed a cause, its jobs run again within the hour.
constexpr seconds_f retry_delay_max{3600.0};

/// Cuts an error's detail for its row, and replaces characters that are not printable.
std::string stored_detail(std::string_view detail) {
    std::string text;
    for (std::size_t at = 0; at < detail.size();) {
        const auto next = code_point_at(detail, at);
        if (text.size() + next.bytes > bounds::attempt_detail_bytes_max) break;
        const bool is_printable = next.valid && next.value >= U' ' && next.value != 0x7F;
        text.append(is_printable ? detail.substr(at, next.bytes) : "?");
        at += next.bytes;
    }
    return text;
}

attempt_failure failure_of(const error& why) {
    return {.cause = why.code(), .detail = stored_detail(why.detail())};
}

/// Consequence of an attempt's error for its job.
enum class disposition : std::uint8_t {
    give_up,  ///< Another attempt would fail as well.
    retry,    ///< A later attempt may succeed; counts as an attempt.
    release,  ///< At shutdown or after a lost lease: pending immediately, no attempt spent.
};

struct failure_class {
    disposition decided;
    job_error_code code;
};

constexpr failure_class classify(errc code) noexcept {
    using enum disposition;
    switch (code) {
        case errc::cancelled: return {release, job_error_code::internal};

        case errc::video_unavailable:
        case errc::video_restricted:
        case errc::login_required: return {give_up, job_error_code::unavailable};
        case errc::platform_rate_limited: return {retry, job_error_code::rate_limited};

        case errc::model_unavailable:
        case errc::model_misconfigured: return {retry, job_error_code::model_failed};
        case errc::model_refused:
        case errc::limit_reached:
        case errc::unauthorized: return {give_up, job_error_code::model_failed};  // Spent budgets.

        case errc::no_video:
        case errc::separate_tracks:
        case errc::unsupported_format:
        case errc::video_too_large: return {give_up, job_error_code::unsupported_format};
        case errc::video_too_long: return {give_up, job_error_code::video_too_long};

        case errc::storage_failed:
        case errc::database_unavailable: return {retry, job_error_code::storage_error};

        case errc::timed_out:
        case errc::connection_failed:
        case errc::proxy_failed:
        case errc::platform_failed:
        case errc::platform_changed: return {retry, job_error_code::download_failed};
        case errc::address_refused: return {give_up, job_error_code::download_failed};

        case errc::media_failed:
        case errc::internal: return {retry, job_error_code::internal};
        case errc::invalid_argument:
        case errc::not_found:
        case errc::conflict: break;
    }
    return {give_up, job_error_code::internal};
}

}  // namespace

job_error_code job_error_code_of(errc code) noexcept {
    return classify(code).code;
}

seconds_f retry_delay(int attempt, seconds_f base, double jitter) noexcept {
    invariant(attempt >= 1);
    invariant(jitter >= 0.0 && jitter <= 1.0);
    const auto doubled = base * std::pow(2.0, std::min(attempt - 1, 30));
    return std::min(doubled * (0.75 + 0.5 * jitter), retry_delay_max);
}

transition after_failure(
    const claimed_job& job, const error& why, retry_allowed allowed, const retry_policy& policy,
    double jitter, seconds_f not_before) {
    const auto decided = classify(why.code()).decided;
    if (decided == disposition::release) return released{};
    const bool again = decided == disposition::retry && allowed == retry_allowed::yes &&
                       job.attempt < policy.attempts_max;
    if (again) {
        const auto delay = std::max(retry_delay(job.attempt, policy.base, jitter), not_before);
        return retried{.delay = delay, .why = failure_of(why)};
    }
    return failed{
        .code = job_error_code_of(why.code()),
        .text = error_text(why, policy),
        .why = failure_of(why),
        .retry_after = not_before};
}

transition at_step(transition ended, std::string_view step) {
    if (auto* const end = std::get_if<failed>(&ended)) end->why.step = step;
    if (auto* const later = std::get_if<retried>(&ended)) later->why.step = step;
    return ended;
}

transition after_outage(
    const claimed_job& job, const error& why, time_point now, const retry_policy& policy,
    double jitter) {
    const seconds_f waited = now - job.cooling_since.value_or(now);
    if (waited > policy.outage_wait_max) {
        return after_failure(job, why, retry_allowed::yes, policy, jitter);
    }
    return snoozed{.delay = retry_delay(1, policy.base, jitter), .is_cooldown = true};
}

transition after_snooze(
    const claimed_job& job, const snooze& until, time_point now, const retry_policy& policy) {
    const seconds_f waited = now - job.cooling_since.value_or(now);
    const auto excess =
        until.wait < policy.cooldown_wait_min ? policy.cooldown_wait_min : seconds_f{0};
    const bool ends_in_time = waited + until.wait < policy.cooldown_wait_max + excess;
    if (!until.is_cooldown || ends_in_time) return snoozed{until.wait, until.is_cooldown};
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(until.wait).count();
    return failed{
        .code = job_error_code_of(until.of),
        .text = cooldown_text(until.of, std::to_string(minutes)),
        .why = {.cause = until.of, .detail = fmt::format("asked to wait {} minutes", minutes)},
        .retry_after = until.wait};
}

std::string_view outcome_name(const transition& ended) noexcept {
    if (std::holds_alternative<completed>(ended)) return "done";
    if (const auto* failure = std::get_if<failed>(&ended)) return name_of(failure->code);
    if (std::holds_alternative<retried>(ended)) return "retry";
    const bool is_snoozed =
        std::holds_alternative<snoozed>(ended) || std::holds_alternative<awaiting_permit>(ended);
    if (is_snoozed) return "snoozed";
    return "released";
}

}  // namespace reelsd::jobs
