#include <reelsd/domain/jobs/job.hpp>

#include <array>

namespace reelsd::jobs {

std::string_view name_of(job_status status) noexcept {
    switch (status) {
        case job_status::pending: return "pending";
        case job_status::processing: return "processing";
        case job_status::done: return "done";
        case job_status::error: return "error";
    }
    return "unknown";
}

std::string_view name_of(job_error_code code) noexcept {
    switch (code) {
        case job_error_code::unavailable: return "unavailable";
        case job_error_code::rate_limited: return "rate_limited";
        case job_error_code::model_failed: return "model_failed";
        case job_error_code::unsupported_format: return "unsupported_format";
        case job_error_code::storage_error: return "storage_error";
        case job_error_code::video_too_long: return "video_too_long";
        case job_error_code::download_failed: return "download_failed";
        case job_error_code::internal: return "internal";
    }
    return "unknown";
}

result<job_status> job_status_from(std::string_view name) {
    constexpr std::array all{
        job_status::pending, job_status::processing, job_status::done, job_status::error};
    for (const auto status : all) {
        if (name_of(status) == name) return status;
    }
    return error{errc::internal, "unknown job status " + std::string{name}};
}

result<job_error_code> job_error_code_from(std::string_view name) {
    constexpr std::array all{
        job_error_code::unavailable,
        job_error_code::rate_limited,
        job_error_code::model_failed,
        job_error_code::unsupported_format,
        job_error_code::storage_error,
        job_error_code::video_too_long,
        job_error_code::download_failed,
        job_error_code::internal};
    for (const auto code : all) {
        if (name_of(code) == name) return code;
    }
    return error{errc::internal, "unknown job error code " + std::string{name}};
}

bool is_retryable(job_error_code code, std::string_view cause) noexcept {
    switch (code) {
        case job_error_code::rate_limited:
        case job_error_code::storage_error:
        case job_error_code::download_failed:
        case job_error_code::internal: return true;
        case job_error_code::model_failed: return cause == name_of(errc::model_unavailable);
        case job_error_code::unavailable:
        case job_error_code::unsupported_format:
        case job_error_code::video_too_long: return false;
    }
    return false;
}

}  // namespace reelsd::jobs
