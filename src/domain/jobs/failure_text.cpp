#include <reelsd/base/format_fault.hpp>
#include <reelsd/domain/jobs/failure_text.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <fmt/format.h>

namespace reelsd::jobs {
namespace {

/// Continues "The AI model could not process the video: ".
std::string_view model_failure_text(errc why) {
    switch (why) {
        case errc::model_refused: return "it refused, or gave no valid answer.";
        case errc::model_unavailable:
            return "it could not be reached or would not answer. Submit the link again later.";
        case errc::limit_reached:
            return "the job has used all of its paid calls without a usable answer. Submit the "
                   "link again later.";
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
            return "The video could not be downloaded: the platform's servers returned an error";
        case errc::platform_changed:
            return "The video could not be downloaded: the platform sent a response that this "
                   "service does not recognise";
        default: return {};
    }
}

/// Continues "The video format is not supported: ". `detail` is that of errc::unsupported_format;
/// only its known values are distinguished, because it may come from the file.
std::string_view format_failure_text(std::string_view detail) {
    using namespace format_fault;
    static_assert(picture_pixels_max == 4096 * 2304);
    if (detail == large_pictures)
        return "its pictures have more than 9.4 million pixels (4096 x 2304). Make a smaller copy, "
               "and upload it.";
    if (detail == single_picture) return "the file has a single picture. Submit a video.";
    if (detail == only_cover) return "the file has a cover picture, but no video. Submit a video.";
    if (detail == no_video) return "the file has no video. Submit a video.";
    return "the file has no video that can be decoded, or is incomplete. Supported are MP4, MOV, "
           "WebM and MKV with H.264, HEVC, VP9 or AV1.";
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

std::string size_text(std::uint64_t bytes) {
    constexpr auto mebibyte = std::uint64_t{1} << 20U;
    return bytes % mebibyte == 0 ? fmt::format("{} MiB", bytes / mebibyte)
                                 : fmt::format("{} bytes", bytes);
}

std::string error_text(const error& why, const retry_policy& policy) {
    switch (why.code()) {
        case errc::video_unavailable:
            return "Video is not available: the platform has no such post or video. It was "
                   "deleted or made private, or the link has a typing error.";
        case errc::video_restricted:
            return "Video is not available: it is restricted by age, region or audience; visitors "
                   "who are not signed in cannot see it.";
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
            return fmt::format(
                "The video format is not supported: {}", format_failure_text(why.detail()));
        case errc::video_too_large:
            return fmt::format(
                "The video format is not supported: the file is larger than {}.",
                size_text(static_cast<std::uint64_t>(policy.video_bytes_max)));
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
            return "The video could not be downloaded: the platform's servers returned an "
                   "error. Submit the link again later.";
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
