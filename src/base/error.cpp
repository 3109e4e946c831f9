#include <reelsd/base/error.hpp>

namespace reelsd {

std::string_view name_of(errc code) noexcept {
    switch (code) {
        case errc::invalid_argument: return "invalid_argument";
        case errc::not_found: return "not_found";
        case errc::unauthorized: return "unauthorized";
        case errc::limit_reached: return "limit_reached";
        case errc::conflict: return "conflict";
        case errc::cancelled: return "cancelled";
        case errc::timed_out: return "timed_out";
        case errc::connection_failed: return "connection_failed";
        case errc::proxy_failed: return "proxy_failed";
        case errc::address_refused: return "address_refused";
        case errc::platform_rate_limited: return "platform_rate_limited";
        case errc::platform_failed: return "platform_failed";
        case errc::platform_changed: return "platform_changed";
        case errc::video_unavailable: return "video_unavailable";
        case errc::video_restricted: return "video_restricted";
        case errc::login_required: return "login_required";
        case errc::no_video: return "no_video";
        case errc::separate_tracks: return "separate_tracks";
        case errc::unsupported_format: return "unsupported_format";
        case errc::video_too_long: return "video_too_long";
        case errc::video_too_large: return "video_too_large";
        case errc::media_failed: return "media_failed";
        case errc::model_refused: return "model_refused";
        case errc::model_unavailable: return "model_unavailable";
        case errc::model_misconfigured: return "model_misconfigured";
        case errc::storage_failed: return "storage_failed";
        case errc::database_unavailable: return "database_unavailable";
        case errc::internal: return "internal";
    }
    return "unknown";
}

std::string error::to_string() const {
    std::string text{name_of(code_)};
    if (!detail_.empty()) text.append(": ").append(detail_);
    return text;
}

}  // namespace reelsd
