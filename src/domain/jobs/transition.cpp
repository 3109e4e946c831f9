#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelsd::jobs {
namespace {

/// However often a job has failed, an operator who repairs the cause sees it run within the hour.
constexpr std::chrono::duration<double> retry_delay_max{3600.0};

}  // namespace

fate fate_of(errc code) noexcept {
    switch (code) {
        case errc::cancelled: return fate::hand_back;

        case errc::timed_out:
        case errc::connection_failed:
        case errc::platform_rate_limited:
        case errc::platform_failed:
        case errc::platform_changed:
        case errc::media_failed:
        case errc::model_unavailable:
        case errc::storage_failed:
        case errc::database_unavailable:
        case errc::internal: return fate::retry;

        case errc::address_refused:
        case errc::video_unavailable:
        case errc::unsupported_format:
        case errc::video_too_long:
        case errc::video_too_large:
        case errc::model_refused:
        case errc::invalid_argument:
        case errc::not_found:
        case errc::unauthorized:
        case errc::limit_reached:
        case errc::conflict: return fate::give_up;
    }
    return fate::give_up;
}

job_error_code job_error_code_of(errc code) noexcept {
    switch (code) {
        case errc::video_unavailable: return job_error_code::unavailable;
        case errc::platform_rate_limited: return job_error_code::rate_limited;
        case errc::model_refused:
        case errc::model_unavailable: return job_error_code::model_failed;
        case errc::unsupported_format:
        case errc::video_too_large: return job_error_code::unsupported_format;
        case errc::video_too_long: return job_error_code::video_too_long;
        case errc::storage_failed:
        case errc::database_unavailable: return job_error_code::storage_error;

        case errc::timed_out:
        case errc::connection_failed:
        case errc::address_refused:
        case errc::platform_failed:
        case errc::platform_changed: return job_error_code::download_failed;

        case errc::invalid_argument:
        case errc::not_found:
        case errc::unauthorized:
        case errc::limit_reached:
        case errc::conflict:
        case errc::cancelled:
        case errc::media_failed:
        case errc::internal: return job_error_code::internal;
    }
    return job_error_code::internal;
}

std::chrono::duration<double> retry_delay(
    int attempt, std::chrono::duration<double> base, double jitter) noexcept {
    invariant(attempt >= 1);
    invariant(jitter >= 0.0 && jitter <= 1.0);
    const auto doubled = base * std::pow(2.0, std::min(attempt - 1, 30));
    return std::min(doubled * (0.75 + 0.5 * jitter), retry_delay_max);
}

transition after_failure(
    const claimed_job& job, const error& why, retry_allowed allowed, const retry_policy& policy,
    double jitter) {
    const auto decided = fate_of(why.code());
    if (decided == fate::hand_back) return handed_back{};
    const bool again = decided == fate::retry && allowed == retry_allowed::yes &&
                       job.attempt < policy.attempts_max;
    if (again) return retried{retry_delay(job.attempt, policy.base, jitter)};
    const auto code = job_error_code_of(why.code());
    return failed{code, error_text(code, policy)};
}

std::string error_text(job_error_code code, const retry_policy& policy) {
    switch (code) {
        case job_error_code::unavailable:
            return "Video is not available: it is private or deleted, or closed to this region or "
                   "age.";
        case job_error_code::rate_limited:
            return "The platform temporarily rate-limited the service. Submit the link again "
                   "later.";
        case job_error_code::model_failed: return "The AI model could not process the video.";
        case job_error_code::unsupported_format:
            return "The video format is not supported: the post has no video, or one that cannot "
                   "be "
                   "decoded or is too large.";
        case job_error_code::storage_error:
            return "A storage error occurred. The operator of this service has been told in the "
                   "log.";
        case job_error_code::video_too_long:
            return fmt::format(
                "The video is longer than {:g} seconds.", policy.video_seconds_max.count());
        case job_error_code::download_failed:
            return "The video could not be downloaded. Submit the link again later.";
        case job_error_code::internal:
            return "Internal error. The operator of this service finds the cause in the log.";
    }
    return "Internal error.";
}

}  // namespace reelsd::jobs
