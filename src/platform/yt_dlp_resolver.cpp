#include "yt_dlp_parser.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>
#include <reelsd/process/child_run.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace reelsd::platform {
namespace {

/// Python takes a second or two to start. Up to four requests follow, one of which may time out.
constexpr std::chrono::seconds run_time_max{30};
/// One post's document has 50 to 500 KB; a carousel has at most twenty slides.
constexpr std::size_t output_bytes_max = std::size_t{8} * 1024 * 1024;

/// For a start of Python without a request.
constexpr std::chrono::seconds version_time_max{10};

/// For recording that the cookies are invalid, also after the look-up's deadline.
constexpr std::chrono::seconds invalid_cookies_time_max{5};

/// The link cannot be read as an option. `cookies_file` may be empty.
std::vector<std::string> arguments_for(
    const link& reel, const std::string& outgoing_address, const std::string& cookies_file) {
    std::vector<std::string> words{
        "--ignore-config",
        "--no-cache-dir",
        "--no-progress",
        "--no-playlist",
        "--socket-timeout",
        "15",
        "--retries",
        "1",
        "--extractor-retries",
        "0"};
    if (parse_ip_address(outgoing_address))
        words.insert(words.end(), {"--source-address", outgoing_address});
    if (!cookies_file.empty()) words.insert(words.end(), {"--cookies", cookies_file});
    words.insert(words.end(), {"-J", "--", reel.canonical_url()});
    return words;
}

/// Message of yt-dlp before it continues without the session.
constexpr std::string_view invalid_cookies = "account cookies are no longer valid";

/// The sandbox's exit status when it could not start yt-dlp. yt-dlp does not use it.
constexpr int exit_not_sandboxed = 77;

const std::string folder_prefix = "reelsd-yt-dlp-";

/// The only folder that a run may write to; a single-file yt-dlp unpacks itself there. Removed on
/// destruction.
class temporary_folder {
public:
    temporary_folder() {
        std::error_code failure;
        auto name = std::filesystem::temp_directory_path(failure) / (folder_prefix + "XXXXXX");
        std::string path = name.string();
        if (!failure && mkdtemp(path.data()) != nullptr) path_ = std::move(path);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }

    /// Empty when it could not be created.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

/// TCP ports: HTTPS, and DNS answers that do not fit into a datagram.
constexpr std::array<const char*, 2> ports{"443", "53"};

/// Arguments before the program and its own arguments.
std::vector<std::string> sandbox_arguments(
    const yt_dlp_settings& settings, const std::string& writable) {
    std::vector<std::string> words{
        "fence", "--parent", std::to_string(getpid()), "--jail", settings.jail};
    words.insert(words.end(), {"--write", writable});
    for (const auto* port : ports) words.insert(words.end(), {"--connect", port});
    if (settings.by_proxy) {
        const auto& address = settings.by_proxy->address();
        words.insert(words.end(), {"--connect", address.substr(address.rfind(':') + 1)});
    }
    if (!settings.ca_file.empty())
        words.insert(words.end(), {"--read", std::filesystem::absolute(settings.ca_file).string()});
    words.insert(words.end(), {"--", settings.program.string()});
    return words;
}

/// Runs with a minimal environment, and a home that cannot contain files.
process::child_command command_of(
    const yt_dlp_settings& settings, const std::string& writable,
    const std::vector<std::string>& arguments) {
    process::child_command command{
        .program = settings.sandbox.string(),
        .arguments = sandbox_arguments(settings, writable),
        .environment =
            {"PATH=" + std::string{process::search_path()},
             "LANG=C.UTF-8",
             "HOME=/dev/null",
             "TMPDIR=" + writable},
        .folder = "/",
        .output_bytes_max = output_bytes_max};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    // Not in the arguments, which every user of the machine can read.
    if (settings.by_proxy) {
        command.environment.push_back("HTTPS_PROXY=" + settings.by_proxy->url());
        command.environment.push_back("HTTP_PROXY=" + settings.by_proxy->url());
    }
    if (!settings.ca_file.empty())
        command.environment.push_back(
            "SSL_CERT_FILE=" + std::filesystem::absolute(settings.ca_file).string());
    return command;
}

/// Masks the proxy's password in the output: error messages may contain the environment.
void hide_credentials(process::child_end& end, const std::optional<net::proxy>& by_proxy) {
    const auto secret = by_proxy ? by_proxy->credentials() : std::string_view{};
    if (secret.empty()) return;
    for (auto* text : {&end.output, &end.error_output}) boost::replace_all(*text, secret, "***");
}

process::child_end not_started(const char* why) {
    process::child_end end;
    end.outcome = process::child_outcome::not_started;
    end.error_output = why;
    return end;
}

process::child_end run_in(
    const temporary_folder& folder, const yt_dlp_settings& settings,
    const std::vector<std::string>& arguments, deadline by, const std::stop_token& stop) {
    if (folder.path().empty()) return not_started("no temporary folder could be created");
    auto end = process::run_child(command_of(settings, folder.path(), arguments), by, stop);
    hide_credentials(end, settings.by_proxy);
    return end;
}

/// Creates a file that only its owner can read. False when it could not be written.
bool write_private_file(const std::string& path, std::string_view text) {
    constexpr mode_t owner_only = 0600;
    const unique_fd file{
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, owner_only)};
    while (file && !text.empty()) {
        const auto written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return static_cast<bool>(file);
}

/// A run for one link. `cookies` may be null; yt-dlp rewrites its file of cookies.
process::child_end run_for(
    const link& reel, const session_cookies* cookies, const yt_dlp_settings& settings, deadline by,
    const std::stop_token& stop) {
    const temporary_folder folder;
    std::string cookies_file;
    if (cookies != nullptr && !folder.path().empty()) {
        cookies_file = folder.path() + "/cookies.txt";
        if (!write_private_file(cookies_file, cookies->netscape_file()))
            return not_started("the copy of the cookies could not be written");
    }
    auto end = run_in(
        folder, settings, arguments_for(reel, settings.outgoing_address, cookies_file), by, stop);
    if (cookies != nullptr) {
        cookies->hide_in(end.output);
        cookies->hide_in(end.error_output);
    }
    return end;
}

/// Removes the folders of runs whose daemon was killed: they may contain cookies.
void remove_abandoned_folders() {
    constexpr std::chrono::minutes age_min{10};
    const auto last_used = std::filesystem::file_time_type::clock::now() - age_min;
    std::error_code failure;
    const auto parent = std::filesystem::temp_directory_path(failure);
    for (std::filesystem::directory_iterator at{parent, failure}, end; !failure && at != end;
         at.increment(failure)) {
        std::error_code ignored;
        const auto& path = at->path();
        struct ::stat status {};
        if (!path.filename().string().starts_with(folder_prefix) ||
            ::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
            status.st_uid != ::geteuid() || at->last_write_time(ignored) > last_used)
            continue;
        std::filesystem::remove_all(path, ignored);
    }
}

/// Why a run did not end normally.
std::optional<error> failure_of(const process::child_end& end) {
    switch (end.outcome) {
        case process::child_outcome::exited:
            if (end.status != exit_not_sandboxed) return std::nullopt;
            return error{errc::platform_failed, "yt-dlp could not be started: " + end.error_output};
        case process::child_outcome::signalled:
            return error{
                errc::platform_failed, "yt-dlp died of " + process::signal_name(end.status)};
        case process::child_outcome::overdue:
            return error{errc::timed_out, "yt-dlp did not end in time"};
        case process::child_outcome::stopped: return error{errc::cancelled, "yt-dlp was stopped"};
        case process::child_outcome::flooding:
            return error{errc::platform_changed, "yt-dlp wrote too much"};
        case process::child_outcome::not_started:
            return error{errc::platform_failed, "yt-dlp could not be started: " + end.error_output};
    }
    return error{errc::internal, "unknown end of yt-dlp"};
}

}  // namespace

yt_dlp_resolver::yt_dlp_resolver(yt_dlp_settings settings) : settings_{std::move(settings)} {
    invariant(settings_.program.is_absolute());
    invariant(settings_.sandbox.is_absolute());
    if (settings_.platform_session != nullptr) remove_abandoned_folders();
}

resolution yt_dlp_resolver::resolve(const link& reel, deadline by, std::stop_token stop) const {
    invariant(reel.kind == link_kind::post);
    const auto cookies =
        settings_.platform_session != nullptr ? settings_.platform_session->cookies(by) : nullptr;
    const auto end = run_for(reel, cookies.get(), settings_, by.at_most(run_time_max), stop);
    if (cookies && end.error_output.find(invalid_cookies) != std::string::npos)
        settings_.platform_session->disable(
            *cookies,
            "yt-dlp: the cookies are no longer valid",
            deadline::after(invalid_cookies_time_max));
    auto outcome = outcome_of(end, reel, by, stop);
    if (settings_.observe) {
        const std::string reason = outcome ? "" : no_post{outcome.error()}.why.detail();
        settings_.observe(
            {.question = "run of yt-dlp",
             .url = reel.canonical_url(),
             .status = end.status,
             .body = end.output,
             .took = end.lived,
             .reason = reason});
    }
    return outcome;
}

resolution yt_dlp_resolver::outcome_of(
    const process::child_end& end, const link& reel, deadline by,
    const std::stop_token& stop) const {
    if (const auto failure = failure_of(end)) return no_post{*failure};

    // A carousel with photos and videos ends with an error and a valid document.
    auto answer = parse_yt_dlp(end.output, reel);
    if (answer.subject) return *std::move(answer.subject);
    if (answer.media == answer_media::absent)
        return unless_outdated(classify_yt_dlp(end.status, end.error_output), by, stop);
    const auto classification = classify({.kind = answer_kind::query, .media = answer.media});
    return no_post{error{*classification.failure, "yt-dlp: " + std::string{classification.reason}}};
}

/// The unconfirmed "no such post" of an outdated yt-dlp must not count, because it reports that for
/// every post.
no_post yt_dlp_resolver::unless_outdated(
    no_post failure, deadline by, const std::stop_token& stop) const {
    if (!failure.needs_confirmation) return failure;
    const auto version = yt_dlp_version(settings_, by.at_most(version_time_max), stop);
    if (!version) return version.error().code() == errc::cancelled ? version.error() : failure;
    if (!is_outdated_yt_dlp(*version)) return failure;
    return error{errc::platform_changed, "yt-dlp " + *version + " is too old to find any post"};
}

result<std::string> yt_dlp_version(
    const yt_dlp_settings& settings, deadline by, const std::stop_token& stop) {
    const auto end =
        run_in(temporary_folder{}, settings, {"--ignore-config", "--version"}, by, stop);
    if (const auto failure = failure_of(end)) return *failure;
    const auto version = yt_dlp_version_in(end.output);
    if (end.status != 0 || version.empty())
        return error{errc::platform_changed, settings.program.string() + " reports no version"};
    return std::string{version};
}

}  // namespace reelsd::platform
