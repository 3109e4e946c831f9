#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/net/proxy.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/resolver.hpp>
#include <reelsd/platform/session.hpp>

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
    /// The program reelsd-media, as an absolute path: its command `fence` runs yt-dlp.
    std::filesystem::path sandbox;
    /// What the sandbox does where the kernel lacks a part of it: the setting `jail`.
    std::string jail = "require";
    /// Certificate authorities; empty: the system's.
    std::string ca_file = {};
    std::optional<net::proxy> by_proxy = {};
    std::string outgoing_address = {};  ///< An interface's name has no effect on yt-dlp.
    /// Whose cookies it sends while the session is enabled, from a private copy; may be null.
    session* platform_session = nullptr;
    answer_observer observe = {};  ///< May be empty.
};

/// Asks the program yt-dlp, as a child process that is given the link, and the cookies of
/// the operator's session if there is one. It does its own
/// networking: the outbound guard holds for the media that it names, not for what it asks. It runs
/// inside a sandbox, which bounds its memory and time, and keeps it from our files and processes.
/// Source: platform.md 6.
class yt_dlp_resolver : public resolver {
public:
    explicit yt_dlp_resolver(yt_dlp_settings settings);

    [[nodiscard]] std::string_view name() const noexcept override { return "yt-dlp"; }

    /// One run of the program, of half a minute at most. An empty answer is a "no such post" in
    /// doubt, since that is what an outdated yt-dlp says of every post; of one that is outdated by
    /// its own word it is platform_changed. A program that crashes or can't be started is
    /// platform_failed, one that talks too much or nonsense platform_changed.
    [[nodiscard]] resolution resolve(
        const link& wanted, deadline by, std::stop_token stop) const override;

private:
    [[nodiscard]] resolution outcome_of(
        const process::child_end& end, const link& wanted, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] no_post unless_outdated(
        no_post none, deadline by, const std::stop_token& stop) const;

    yt_dlp_settings settings_;
};

/// What the program says when it is asked for its version: "2026.08.19". Errors: platform_changed
/// (no version), platform_failed, timed_out, cancelled.
[[nodiscard]] result<std::string> yt_dlp_version(
    const yt_dlp_settings& settings, deadline by, const std::stop_token& stop);

}  // namespace reelsd::platform
