#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/yt_dlp_parser.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>
#include <reelsd/process/child_run.hpp>
#include <reelsd/process/find_program.hpp>

#include <optional>
#include <vector>

namespace reelsd::platform {
namespace {

/// Python takes a second or two to start, and four requests follow, of which one may time out.
constexpr std::chrono::seconds run_time_max{30};
/// One post's document is 50 to 500 KB; a carousel's has twenty slides at most.
constexpr std::size_t output_bytes_max = std::size_t{8} * 1024 * 1024;

/// A start of Python, and nothing else.
constexpr std::chrono::seconds version_time_max{10};

/// Fixed; the link is all that differs, and it can't be taken for an option.
std::vector<std::string> arguments_for(const link& wanted) {
    return {
        "--ignore-config",
        "--no-cache-dir",
        "--no-progress",
        "--no-playlist",
        "--socket-timeout",
        "15",
        "--retries",
        "1",
        "--extractor-retries",
        "0",
        "-J",
        "--",
        wanted.canonical_url()};
}

/// Nothing of ours that it does not need, and a home in which nobody, not even root, can make a
/// file.
process::child_command command_of(const yt_dlp_settings& settings) {
    process::child_command command{
        .program = settings.program.string(),
        .environment =
            {"PATH=" + std::string{process::search_path()}, "LANG=C.UTF-8", "HOME=/dev/null"},
        .folder = "/",
        .output_bytes_max = output_bytes_max};
    if (!settings.ca_file.empty())
        command.environment.push_back(
            "SSL_CERT_FILE=" + std::filesystem::absolute(settings.ca_file).string());
    return command;
}

/// Why a run did not come to its own end.
std::optional<error> failure_of(const process::child_end& end) {
    switch (end.fate) {
        case process::child_fate::exited: return std::nullopt;
        case process::child_fate::signalled:
            return error{
                errc::platform_failed, "yt-dlp died of " + process::signal_name(end.status)};
        case process::child_fate::overdue:
            return error{errc::timed_out, "yt-dlp did not end in time"};
        case process::child_fate::stopped: return error{errc::cancelled, "yt-dlp was stopped"};
        case process::child_fate::flooding:
            return error{errc::platform_changed, "yt-dlp wrote too much"};
        case process::child_fate::not_started:
            return error{errc::platform_failed, "yt-dlp could not be started: " + end.complaints};
    }
    return error{errc::internal, "unknown end of yt-dlp"};
}

}  // namespace

yt_dlp_resolver::yt_dlp_resolver(yt_dlp_settings settings) : settings_{std::move(settings)} {
    invariant(settings_.program.is_absolute());
}

resolution yt_dlp_resolver::resolve(const link& wanted, deadline by, std::stop_token stop) const {
    invariant(wanted.kind == link_kind::post);
    auto command = command_of(settings_);
    command.arguments = arguments_for(wanted);
    const auto end = process::run_child(command, by.at_most(run_time_max), stop);
    auto found = outcome_of(end, wanted, by, stop);
    if (settings_.observe) {
        const std::string reason = found ? "" : no_post{found.error()}.why.detail();
        settings_.observe(
            {.question = "run of yt-dlp",
             .url = wanted.canonical_url(),
             .status = end.status,
             .body = end.output,
             .took = end.lived,
             .reason = reason});
    }
    return found;
}

resolution yt_dlp_resolver::outcome_of(
    const process::child_end& end, const link& wanted, deadline by,
    const std::stop_token& stop) const {
    if (const auto failure = failure_of(end)) return no_post{*failure};

    // A carousel with photos among its videos ends with an error and a good document.
    auto found = parse_yt_dlp(end.output, wanted);
    if (found.subject) return *std::move(found.subject);
    if (found.media == answer_media::absent)
        return unless_outdated(judge_yt_dlp(end.status, end.complaints), by, stop);
    const auto verdict = judge({.kind = answer_kind::query, .media = found.media});
    return no_post{error{*verdict.failure, "yt-dlp: " + std::string{verdict.reason}}};
}

/// Two doubts are a no, but that of a program which is known to doubt everything is none.
no_post yt_dlp_resolver::unless_outdated(
    no_post none, deadline by, const std::stop_token& stop) const {
    if (!none.needs_confirmation) return none;
    const auto version = yt_dlp_version(settings_.program, by.at_most(version_time_max), stop);
    if (!version) return version.error().code() == errc::cancelled ? version.error() : none;
    if (!is_outdated_yt_dlp(*version)) return none;
    return error{errc::platform_changed, "yt-dlp " + *version + " is too old to find any post"};
}

result<std::string> yt_dlp_version(
    const std::filesystem::path& program, deadline by, const std::stop_token& stop) {
    auto command = command_of({.program = program});
    command.arguments = {"--ignore-config", "--version"};
    const auto end = process::run_child(command, by, stop);
    if (const auto failure = failure_of(end)) return *failure;
    const auto version = yt_dlp_version_in(end.output);
    if (end.status != 0 || version.empty())
        return error{errc::platform_changed, program.string() + " tells no version"};
    return std::string{version};
}

}  // namespace reelsd::platform
