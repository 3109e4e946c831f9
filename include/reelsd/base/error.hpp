#pragma once

#include <boost/assert/source_location.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd {

/// Everything that can go wrong and that somebody decides on: one closed list for the whole house.
/// Each mapping out of it (HTTP status, job fate, job error code) is an exhaustive `switch` without
/// `default` in one file, so that a new code does not compile until it is placed.
enum class errc : std::uint8_t {
    // The caller of an operation is at fault.
    invalid_argument,  ///< Malformed or out of range; `detail` may be shown to the caller.
    not_found,         ///< No such thing, or another account's.
    unauthorized,      ///< No valid token.
    limit_reached,     ///< A limit of the account; `detail` names it and its value.
    conflict,          ///< It exists already, or has another state than the operation needs.

    // Waiting.
    cancelled,  ///< Asked to stop: shutdown, deletion or a lost lease. Not a fault.
    timed_out,  ///< A deadline passed.

    // The outside network.
    connection_failed,  ///< Name resolution, TCP, TLS or a broken transfer. Worth another try.
    /// The operator's proxy gives no connection. `detail` is "HOST:PORT: reason", or "HOST:PORT to
    /// TARGET: reason" when the proxy works but cannot reach the target. Worth another try.
    proxy_failed,
    address_refused,  ///< The outbound guard forbids the address; `detail` names the setting
                      ///< that would allow it. Final.

    // The platform.
    platform_rate_limited,  ///< It asks us to slow down. Worth another try, later.
    platform_failed,        ///< Its servers are at fault (5xx and the like). Worth another try.
    platform_changed,  ///< It answers in a shape we do not know: our request or parser is outdated.
    video_unavailable,  ///< Deleted, never there, or private without saying so. Final.
    video_restricted,   ///< Closed to some ages, regions or audiences. Final.
    login_required,     ///< Shown only to people who are logged in. Final.
    no_video,           ///< The post, or its slide that was asked for, has none. Final.
    separate_tracks,    ///< Picture and sound are separate files, and `dash` is off. Final.

    // The video.
    unsupported_format,  ///< No video stream, or one that cannot be decoded. Final.
    video_too_long,      ///< Longer than the limit in force. Final.
    video_too_large,     ///< More bytes than the limit in force. Final.
    media_failed,        ///< The media helper could not be run (not: could not read the video).

    // The model.
    model_refused,        ///< It will not or cannot process this video. Final.
    model_unavailable,    ///< Overloaded or unreachable. Worth another try.
    model_misconfigured,  ///< Its key, name or address is wrong. Worth another try: it gets mended.

    // Ourselves.
    storage_failed,        ///< Disk full, or a write that the disk or the database refuses.
    database_unavailable,  ///< Unreachable, or no answer in time.
    internal,              ///< Our own bug.
};

/// The enumerator's name, for logs and metrics: "video_unavailable".
[[nodiscard]] std::string_view name_of(errc code) noexcept;

/// What went wrong, as a value. `detail` is for logs: it never reaches a client unless the code
/// says so above, and it never holds a secret.
class error {
public:
    /// What Boost's result hands out when it is asked for the error that it does not have.
    error() : error{errc::internal, "no error"} {}
    /// The code comes first and is required: an error constructible from text alone would make
    /// `result<std::string>` ambiguous.
    explicit error(
        errc code, std::string detail = {}, boost::source_location where = BOOST_CURRENT_LOCATION)
        : code_{code}, detail_{std::move(detail)}, where_{where} {}

    [[nodiscard]] errc code() const noexcept { return code_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    [[nodiscard]] const boost::source_location& where() const noexcept { return where_; }

    /// "video_unavailable: page says PolarisErrorRoute", for logs.
    [[nodiscard]] std::string to_string() const;

private:
    errc code_;
    std::string detail_;
    boost::source_location where_;
};

}  // namespace reelsd
