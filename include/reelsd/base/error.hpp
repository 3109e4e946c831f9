#pragma once

#include <reelsd/base/enum_names.hpp>

#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

namespace reelsd {

/// All errors that code distinguishes. Each mapping of them (to an HTTP status, a job's transition,
/// a job's error code) is an exhaustive `switch` without `default` in one file, so that a new code
/// does not compile until it is mapped.
enum class errc : std::uint8_t {
    // The caller of an operation is at fault.
    invalid_argument,  ///< Malformed or out of range; `detail` may be shown to the caller.
    not_found,         ///< Does not exist, or belongs to another account.
    unauthorized,      ///< No valid token.
    limit_reached,     ///< A limit of the account; `detail` names it and its value.
    conflict,          ///< Exists already, or is not in the state that the operation needs.

    // Waiting.
    cancelled,  ///< Stop requested: shutdown, deletion or a lost lease. Not a fault.
    timed_out,  ///< A deadline passed.

    // The outside network.
    connection_failed,  ///< Name resolution, TCP, TLS or a broken transfer. Worth a retry.
    /// The operator's proxy does not connect. `detail` is "HOST:PORT: reason", or "HOST:PORT to
    /// TARGET: reason" when the proxy works but cannot reach the target. Worth a retry.
    proxy_failed,
    address_refused,  ///< The outbound guard forbids the address; `detail` names the setting
                      ///< that would allow it. Final.

    // The platform.
    platform_rate_limited,  ///< It limits the rate of requests. Worth a retry, later.
    platform_failed,        ///< Its servers fail (5xx and similar). Worth a retry.
    platform_changed,   ///< Its answer has an unknown format: our request or parser is outdated.
    video_unavailable,  ///< Deleted, nonexistent, or private. Final.
    video_restricted,   ///< Restricted by age, region or audience. Final.
    login_required,     ///< Visible only to signed-in users. Final.
    no_video,           ///< The post, or the requested slide, has none. Final.
    separate_tracks,    ///< Picture and sound are separate files, and `dash` is off. Final.

    // The video.
    unsupported_format,  ///< No video stream, or one that cannot be decoded. Final.
    video_too_long,      ///< Longer than the limit. Final.
    video_too_large,     ///< Larger than the limit. Final.
    media_failed,        ///< The media helper could not be run. Not a fault of the video.

    // The model.
    model_refused,        ///< It will not or cannot process this video. Final.
    model_unavailable,    ///< Overloaded or unreachable. Worth a retry.
    model_misconfigured,  ///< Its key, name or address is wrong. Worth a retry after a repair.

    // Ourselves.
    storage_failed,        ///< Disk full, or a write refused by the disk or the database.
    database_unavailable,  ///< Unreachable, or no answer in time.
    internal,              ///< A bug of this program, or a setting that this machine cannot follow.
};
BOOST_DESCRIBE_ENUM(
    errc, invalid_argument, not_found, unauthorized, limit_reached, conflict, cancelled, timed_out,
    connection_failed, proxy_failed, address_refused, platform_rate_limited, platform_failed,
    platform_changed, video_unavailable, video_restricted, login_required, no_video,
    separate_tracks, unsupported_format, video_too_long, video_too_large, media_failed,
    model_refused, model_unavailable, model_misconfigured, storage_failed, database_unavailable,
    internal)

/// "No such file or directory" for ENOENT.
[[nodiscard]] inline std::string errno_text(int number) {
    return std::generic_category().message(number);
}

/// An error as a value. `detail` is for logs: clients see it only if the code says so above. It
/// never contains a secret.
class error {
public:
    /// Returned by Boost's result when it holds a value.
    error() : error{errc::internal, "no error"} {}
    /// The code comes first and is required: an error constructible from text alone would make
    /// `result<std::string>` ambiguous.
    explicit error(errc code, std::string detail = {}) : code_{code}, detail_{std::move(detail)} {}

    [[nodiscard]] errc code() const noexcept { return code_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }

    /// "video_unavailable: page says PolarisErrorRoute", for logs.
    [[nodiscard]] std::string to_string() const {
        std::string text{name_of(code_)};
        if (!detail_.empty()) text.append(": ").append(detail_);
        return text;
    }

private:
    errc code_;
    std::string detail_;
};

}  // namespace reelsd
