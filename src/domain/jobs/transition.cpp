#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

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

/// What an error means for its job.
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

/// Continues "The AI model could not process the video: ".
std::string_view model_failure_text(errc why) {
    switch (why) {
        case errc::model_refused: return "it refused, or gave no valid answer.";
        case errc::model_unavailable:
            return "it could not be reached or would not answer. Submit the link again later.";
        case errc::limit_reached:
            return "the job has used all of its paid calls, and their answers were lost. Submit "
                   "the link again later.";
        case errc::unauthorized:
            return "this month's budget of the account is spent. Submit the link again next "
                   "month, or ask the operator for a larger budget.";
        default:
            return "this service's access to it is misconfigured. The operator can find the cause "
                   "in the log.";
    }
}

/// Describes failures with which a platform may refuse a server's address; empty for others.
std::string_view suspected_refusal(errc of) {
    switch (of) {
        case errc::platform_rate_limited:
            return "The platform temporarily rate-limited the service";
        case errc::login_required: return "Video is not available: the platform asks for a sign-in";
        case errc::timed_out:
        case errc::connection_failed:
            return "The video could not be downloaded: the platform could not be reached, or was "
                   "too slow";
        case errc::platform_failed:
            return "The video could not be downloaded: the platform's servers would not give it";
        case errc::platform_changed:
            return "The video could not be downloaded: the platform sent a response that this "
                   "service does not recognise";
        default: return {};
    }
}

/// `detail` is that of errc::proxy_failed.
std::string proxy_failure_text(std::string_view detail) {
    const auto names = detail.substr(0, detail.find(": "));
    const auto target = names.find(" to ");
    return fmt::format(
        "The video could not be downloaded: the proxy {} of this service {}. Submit the link again "
        "later; the operator can find the cause in the log.",
        names.substr(0, target),
        target == std::string_view::npos
            ? "does not work"
            : fmt::format("could not connect to {}", names.substr(target + 4)));
}

}  // namespace

disposition disposition_of(errc code) noexcept {
    return classify(code).decided;
}

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
    const auto decided = disposition_of(why.code());
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
    const bool is_short =
        until.wait < policy.cooldown_wait_min || waited + until.wait < policy.cooldown_wait_max;
    if (!until.is_cooldown || is_short) return snoozed{until.wait, until.is_cooldown};
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

std::string cooldown_text(errc of, std::string_view minutes) {
    const bool is_platform = of == errc::platform_rate_limited;
    return fmt::format(
        "{}. This server will not contact it for another {} minutes. Submit the link again after "
        "that.",
        is_platform ? "The platform temporarily rate-limited the service"
                    : "The AI model could not process the video: its provider asks for a pause",
        minutes);
}

std::string unanswered_text(errc of) {
    const auto what = suspected_refusal(of);
    if (what.empty()) return {};
    return fmt::format(
        "{}. It has never answered this server and may refuse its address. Upload the video "
        "instead, or ask the operator to set a proxy (platform-proxy) or their own session "
        "(platform-cookies-file).",
        what);
}

std::string error_text(const error& why, const retry_policy& policy) {
    switch (why.code()) {
        case errc::video_unavailable:
            return "Video is not available: the platform has no such post or video. It was "
                   "deleted or made private, or the link has a typing error.";
        case errc::video_restricted:
            return "Video is not available: it is restricted to some ages, regions or audiences, "
                   "and so to visitors without an account.";
        case errc::login_required:
            return "Video is not available: the platform shows it only to people who are "
                   "logged in, as it does with private accounts.";
        case errc::platform_rate_limited:
            return "The platform temporarily rate-limited the service. Submit the link again "
                   "later.";
        case errc::model_refused:
        case errc::model_unavailable:
        case errc::model_misconfigured:
        case errc::limit_reached:
        case errc::unauthorized:
            return fmt::format(
                "The AI model could not process the video: {}", model_failure_text(why.code()));
        case errc::no_video:
            return "The video format is not supported: the post, or the slide that the link "
                   "names, is a photo.";
        case errc::separate_tracks:
            return "The video format is not supported: the platform serves its picture and sound "
                   "only as separate files, which this service does not join.";
        case errc::unsupported_format:
            return "The video format is not supported: the file has no video that can be decoded.";
        case errc::video_too_large:
            return fmt::format(
                "The video format is not supported: the file is larger than {} bytes.",
                policy.video_bytes_max);
        case errc::video_too_long:
            return fmt::format(
                "The video is longer than {:g} seconds.", policy.video_seconds_max.count());
        case errc::storage_failed:
        case errc::database_unavailable:
            return "A storage error occurred. The operator of this service can find the cause in "
                   "the log.";
        case errc::timed_out:
        case errc::connection_failed:
            return "The video could not be downloaded: the platform or its media server could "
                   "not be reached, or was too slow. Submit the link again later.";
        case errc::proxy_failed: return proxy_failure_text(why.detail());
        case errc::platform_failed:
            return "The video could not be downloaded: the platform's servers would not give "
                   "it. Submit the link again later.";
        case errc::platform_changed:
            return "The video could not be downloaded: the platform sent a response that this "
                   "service does not recognise. Its operator can find the details in the log.";
        case errc::address_refused:
            return "The video could not be downloaded: its address is not one that this "
                   "service may ask. Its operator can find the address in the log.";
        case errc::invalid_argument:
        case errc::not_found:
        case errc::conflict:
        case errc::cancelled:
        case errc::media_failed:
        case errc::internal: break;
    }
    return "Internal error. The operator of this service can find the cause in the log.";
}

}  // namespace reelsd::jobs
