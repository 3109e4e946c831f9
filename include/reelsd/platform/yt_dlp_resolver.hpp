#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/net/proxy.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/platform/resolver.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::process {
struct child_end;
}

namespace reelsd::platform {

struct yt_dlp_settings {
    /// The program yt-dlp, as an absolute path.
    std::filesystem::path program;
    /// The program reelsd-media, as an absolute path; its command `fence` runs yt-dlp.
    std::filesystem::path sandbox;
    /// The `jail` setting: how the sandbox treats features that the kernel lacks.
    std::string jail = "require";
    /// Certificate authorities; empty: the system's.
    std::string ca_file = {};
    std::optional<net::proxy> by_proxy = {};
    std::string outgoing_address = {};  ///< An interface's name has no effect on yt-dlp.
    /// Its cookies are sent while it is enabled, from a private copy; may be null.
    session* platform_session = nullptr;
    bool takes_tracks = false;     ///< See answer_signals.
    answer_observer observe = {};  ///< May be empty.
};

/// Runs the program yt-dlp with the link, and with the cookies of the operator's session if there
/// is one. yt-dlp has its own connections: the address guard checks only the media URLs in its
/// output. A sandbox bounds its memory and time, and hides files and processes: see
/// docs/security.md.
class yt_dlp_resolver : public resolver {
public:
    explicit yt_dlp_resolver(yt_dlp_settings settings);

    [[nodiscard]] std::string_view name() const noexcept override { return "yt-dlp"; }

    /// One run of the program, at most half a minute. An empty answer is a "no such post" that
    /// needs confirmation, because an outdated yt-dlp reports that for every post; from a version
    /// that is known to be outdated it is platform_changed. A program that crashes or cannot be
    /// started is platform_failed; too much or malformed output is platform_changed.
    [[nodiscard]] resolution resolve(
        const link& reel, deadline by, std::stop_token stop) const override;

private:
    [[nodiscard]] resolution outcome_of(
        const process::child_end& end, const link& reel, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] error with_proxy(const error& why, const link& reel) const;
    [[nodiscard]] no_post unless_outdated(
        no_post failure, deadline by, const std::stop_token& stop) const;

    yt_dlp_settings settings_;
};

/// Why yt-dlp has printed no post, by its exit status and its standard error. The only mapping of
/// its messages. Pure.
[[nodiscard]] no_post classify_yt_dlp(int status, std::string_view error_output);

/// The version in the output of `yt-dlp --version` ("2026.08.19", or with a build number after
/// another dot); empty for any other output. Pure.
[[nodiscard]] std::string_view yt_dlp_version_in(std::string_view output);

/// Earlier versions send requests that the platform no longer answers.
inline constexpr std::string_view yt_dlp_version_min = "2026.06.28";

/// Whether `version`, of yt_dlp_version(), no longer works.
[[nodiscard]] bool is_outdated_yt_dlp(std::string_view version);

/// The program's version: "2026.08.19". Errors: platform_changed (no version), platform_failed,
/// timed_out, cancelled.
[[nodiscard]] result<std::string> yt_dlp_version(
    const yt_dlp_settings& settings, deadline by, const std::stop_token& stop);

}  // namespace reelsd::platform
