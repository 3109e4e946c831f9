#include "exit_code.hpp"

namespace reelsd::cli {

exit_code exit_code_of(errc code) noexcept {
    switch (code) {
        case errc::cancelled: return exit_code::interrupted;
        case errc::invalid_argument:
        case errc::not_found:
        case errc::unauthorized:
        case errc::limit_reached:
        case errc::conflict: return exit_code::refused;
        case errc::timed_out:
        case errc::connection_failed:
        case errc::address_refused:
        case errc::platform_rate_limited:
        case errc::platform_failed:
        case errc::platform_changed:
        case errc::video_unavailable:
        case errc::video_restricted:
        case errc::login_required:
        case errc::no_video:
        case errc::separate_tracks:
        case errc::unsupported_format:
        case errc::video_too_long:
        case errc::video_too_large:
        case errc::media_failed:
        case errc::model_refused:
        case errc::model_unavailable:
        case errc::model_misconfigured:
        case errc::storage_failed:
        case errc::database_unavailable:
        case errc::internal: return exit_code::server_failed;
    }
    return exit_code::server_failed;
}

}  // namespace reelsd::cli
