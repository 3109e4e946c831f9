#include "media_reader.hpp"
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/net/outgoing_address.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>
#include <reelsd/process/child_run.hpp>

#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/core/noncopyable.hpp>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
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

/// For recording that the cookies are invalid, even after the look-up's deadline.
constexpr std::chrono::seconds invalid_cookies_time_max{5};

/// The link cannot be read as an option. `outgoing_address`, an IP address, and `cookies_file` may
/// be empty.
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
    if (!outgoing_address.empty())
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
class temporary_folder : boost::noncopyable {
public:
    temporary_folder() {
        std::error_code failure;
        auto name = std::filesystem::temp_directory_path(failure) / (folder_prefix + "XXXXXX");
        std::string path = name.string();
        if (!failure && mkdtemp(path.data()) != nullptr) path_ = std::move(path);
    }
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

/// Masks the proxy's user and password: error messages may contain the environment.
void hide_credentials(process::child_end& end, const std::optional<net::proxy>& by_proxy) {
    if (!by_proxy) return;
    by_proxy->hide_in(end.error_output);
    // Only as a whole in the document, whose names may equal a user.
    const auto secret = by_proxy->credentials();
    if (!secret.empty()) boost::replace_all(end.output, secret, "***");
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
    return file && write_all(file.get(), text) == text.size();
}

/// A run for one link. `cookies` may be null; yt-dlp rewrites its file of cookies.
process::child_end run_for(
    const link& reel, const std::string& outgoing_address, const session_cookies* cookies,
    const yt_dlp_settings& settings, deadline by, const std::stop_token& stop) {
    const temporary_folder folder;
    std::string cookies_file;
    if (cookies != nullptr && !folder.path().empty()) {
        cookies_file = folder.path() + "/cookies.txt";
        if (!write_private_file(cookies_file, cookies->netscape_file()))
            return not_started("the copy of the cookies could not be written");
    }
    auto end =
        run_in(folder, settings, arguments_for(reel, outgoing_address, cookies_file), by, stop);
    if (cookies != nullptr) {
        cookies->hide_in(end.output);
        cookies->hide_in(end.error_output);
        // It is in documents, too.
        const std::string user_id{cookies->value_of(user_id_cookie_name)};
        if (!user_id.empty()) boost::replace_all(end.error_output, user_id, "***");
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
        struct ::stat status = {};
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
                errc::platform_failed, "yt-dlp was killed by " + process::signal_name(end.status)};
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

/// Whether a format is only the picture or only the sound.
bool is_track(const document& format) {
    return text_at(format, {"format_id"}).value_or("").starts_with("dash-");
}

/// Whether a format is a file with picture and sound (none in a silent post) over plain HTTP.
/// Codecs are often null, which means unknown.
bool is_whole_file(const document& format) {
    if (is_track(format) || text_at(format, {"vcodec"}) == "none") return false;
    const auto protocol = text_at(format, {"protocol"}).value_or("https");
    return protocol == "https" || protocol == "http";
}

/// The URL of the largest file. yt-dlp lists the best format last.
std::optional<std::string> best_format_url(const document& formats) {
    std::optional<video_version> best;
    for (const auto& format : formats) {
        auto url = text_at(format, {"url"});
        if (!url || !is_http_url(*url) || !is_whole_file(format)) continue;
        video_version candidate{
            .url = *std::move(url),
            .area = area_at(format),
            .is_preferred = text_at(format, {"format_id"}) == "101"};
        const bool is_last_of_its_size =
            best && candidate.area == best->area && !best->is_preferred;
        if (is_better(candidate, best) || is_last_of_its_size) best = std::move(candidate);
    }
    if (!best) return std::nullopt;
    return std::move(best->url);
}

struct slide_video {
    answer_media media = answer_media::absent;
    std::string url = {};
};

/// The video of a single post or of a carousel's entry, which is null when yt-dlp found no video.
slide_video video_of(const document& slide) {
    if (!slide.is_object()) return {};
    const auto* formats = member(slide, {"formats"});
    if (formats != nullptr && formats->is_array()) {
        if (formats->empty()) return {.media = answer_media::photo};
        auto url = best_format_url(*formats);
        if (!url) {
            const bool has_tracks = std::all_of(formats->begin(), formats->end(), is_track);
            return {
                .media =
                    has_tracks ? answer_media::video_in_tracks : answer_media::video_without_url};
        }
        return {.media = answer_media::video, .url = *std::move(url)};
    }
    // A post's only format is in the post itself.
    auto url = text_at(slide, {"url"});
    if (!url || !is_http_url(*url) || !is_whole_file(slide))
        return {.media = answer_media::video_without_url};
    return {.media = answer_media::video, .url = *std::move(url)};
}

/// The last thumbnail of the list is the largest.
std::optional<std::string> largest_thumbnail(const document& slide) {
    if (auto url = text_at(slide, {"thumbnail"}); url && is_http_url(*url)) return url;
    const auto& all = array_at(slide, {"thumbnails"});
    for (auto thumbnail = all.rbegin(); thumbnail != all.rend(); ++thumbnail) {
        if (auto url = text_at(*thumbnail, {"url"}); url && is_http_url(*url)) return url;
    }
    return std::nullopt;
}

/// The post without its file. `slide` is the post itself unless that is a carousel. Members of
/// `whole` have precedence.
post describe_output(const document& whole, const document& slide, const link& reel) {
    const auto text = [&](const char* name) {
        auto value = text_at(whole, {name});
        return value ? value : text_at(slide, {name});
    };
    const auto count = [&](const char* name) {
        const auto value = count_at(whole, {name});
        return value ? value : count_at(slide, {name});
    };
    auto subject = new_post(reel);
    subject.author = text("channel").value_or("");
    subject.author_name = text("uploader");
    set_caption(subject, text("description"));
    subject.like_count = count("like_count");
    subject.comment_count = count("comment_count");
    subject.view_count = count("view_count");
    subject.posted_at = posted_at(count("timestamp"));
    subject.thumbnail_url = largest_thumbnail(slide);
    if (!subject.thumbnail_url) subject.thumbnail_url = largest_thumbnail(whole);
    return subject;
}

bool is_of(const document& whole, const link& reel) {
    const auto id = text_at(whole, {"id"});
    return id && (*id == reel.code || *id == public_code(reel.code));
}

// Messages about a missing post.

struct known_message {
    std::string_view text;
    errc meaning;
    std::string_view reason;
    bool needs_confirmation = false;
    bool throttles_client = false;
};

/// In order of precedence: yt-dlp writes earlier messages together with later ones.
constexpr auto known_messages = std::to_array<known_message>({
    {"Unable to connect to proxy", errc::proxy_failed, "the proxy does not connect"},
    {"Tunnel connection failed", errc::proxy_failed, "the proxy refused the connection"},
    {"ProxyError(", errc::proxy_failed, "the proxy does not connect"},
    {"Unsupported proxy type", errc::proxy_failed, "yt-dlp does not support this kind of proxy"},
    {"SOCKS server failure", errc::proxy_failed, "the proxy refused the connection"},
    {"redirected to the login page", errc::platform_rate_limited, "sent to the login page"},
    {"rate-limit reached or login required", errc::platform_rate_limited, "rate limit"},
    {"HTTP Error 429", errc::platform_rate_limited, "status 429", false, true},
    {"only available for registered users who follow this account",
     errc::login_required,
     "only for followers"},
    {"This content may be inappropriate", errc::video_restricted, "closed to some audiences"},
    {"Restricted Video", errc::video_restricted, "closed to some audiences"},
    // An outdated yt-dlp writes this for every post.
    {"Instagram sent an empty media response",
     errc::video_unavailable,
     "an empty answer: no such post, or an outdated yt-dlp",
     true},
    {"There is no video in this post", errc::no_video, "no video in the post"},
    {"No video formats found", errc::no_video, "no video in the post"},
    {"Video info extraction failed: HTTP Error 404", errc::platform_changed, "needs a session"},
    {"cookies are no longer valid", errc::platform_changed, "needs another session"},
    {"login required", errc::platform_changed, "needs a session"},
    {"Unable to extract", errc::platform_changed, "yt-dlp is outdated"},
    {"attempting impersonation, but no impersonate target",
     errc::platform_changed,
     "yt-dlp lacks its impersonation extra"},
    {"Unsupported URL", errc::platform_changed, "yt-dlp is outdated: it does not support the link"},
    {"no such option", errc::platform_changed, "yt-dlp is outdated: it lacks an option"},
    {"HTTP Error", errc::platform_failed, "the platform failed"},
    {"timed out", errc::timed_out, "the platform did not answer in time"},
    {"Connection", errc::connection_failed, "the connection failed"},
    {"Unable to download webpage", errc::connection_failed, "the connection failed"},
});

/// Also written by successful runs.
constexpr auto ignored_warnings = std::to_array<std::string_view>(
    {"No CSRF token set by Instagram API",
     "Instagram API is not granting access",
     "General metadata extraction failed",
     "Main webpage is locked behind the login page"});

/// Connecting failed. Behind a proxy, yt-dlp connects only to that, and the proxy reports the
/// target's failures in other words.
constexpr auto connect_failures = std::to_array<std::string_view>(
    {"[Errno 111]", "[Errno 113]", "[Errno 101]", "[Errno -2]", "[Errno -3]", "[Errno -5]"});

struct error_lines {
    std::vector<std::string_view> errors;
    std::vector<std::string_view> warnings;
};

error_lines lines_of(std::string_view output) {
    error_lines lines;
    std::vector<std::string_view> all;
    boost::split(all, output, [](char c) { return c == '\r' || c == '\n'; });
    for (const auto line : all) {
        const bool is_ignored =
            line.empty() || std::ranges::any_of(ignored_warnings, [&](auto words) {
                return contains(line, words);
            });
        if (is_ignored) continue;
        (line.starts_with("WARNING:") ? lines.warnings : lines.errors).push_back(line);
    }
    return lines;
}

/// The part of a line for logs: printable ASCII, and no URL with its parameters.
std::string quoted(std::string_view line) {
    constexpr std::size_t characters_max = 200;
    line = line.substr(0, std::min(line.find('?', line.find("://")), characters_max));
    std::string text{line};
    const auto is_unprintable = [](char c) { return c < ' ' || c > '~'; };
    std::ranges::replace_if(text, is_unprintable, '?');
    return text;
}

no_post yt_dlp_failure(const known_message& message, std::string_view line) {
    std::string detail{"yt-dlp: "};
    detail.append(message.reason);
    if (!line.empty()) detail.append("; it said: ").append(quoted(line));
    no_post failure{
        error{message.meaning, std::move(detail)}, message.needs_confirmation, confidence::low};
    failure.throttles_client = message.throttles_client;
    return failure;
}

std::optional<no_post> known_failure(const std::vector<std::string_view>& lines) {
    for (const auto& message : known_messages) {
        for (const auto line : lines) {
            if (contains(line, message.text)) return yt_dlp_failure(message, line);
        }
    }
    return std::nullopt;
}

}  // namespace

yt_dlp_resolver::yt_dlp_resolver(yt_dlp_settings settings) : settings_{std::move(settings)} {
    invariant(settings_.program.is_absolute());
    invariant(settings_.sandbox.is_absolute());
    if (settings_.platform_session != nullptr) remove_abandoned_folders();
}

resolution yt_dlp_resolver::resolve(const link& reel, deadline by, std::stop_token stop) const {
    invariant(reel.kind == link_kind::post);
    std::string source_address;
    if (!settings_.outgoing_address.empty()) {
        const auto local = net::find_outgoing_address(settings_.outgoing_address);
        if (!local) return no_post{local.error()};
        source_address = local->to_string();
    }
    const auto cookies =
        settings_.platform_session != nullptr ? settings_.platform_session->cookies(by) : nullptr;
    const auto end =
        run_for(reel, source_address, cookies.get(), settings_, by.at_most(run_time_max), stop);
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
    if (answer.media == answer_media::absent) {
        auto failure = classify_yt_dlp(end.status, end.error_output);
        const bool is_of_proxy =
            failure.why.code() == errc::proxy_failed ||
            (settings_.by_proxy && failure.why.code() == errc::connection_failed &&
             std::ranges::any_of(
                 connect_failures, [&](auto words) { return contains(end.error_output, words); }));
        if (is_of_proxy) failure.why = with_proxy(failure.why, reel);
        return unless_outdated(std::move(failure), by, stop);
    }
    // Tracks in yt-dlp's output are not joined.
    const bool is_unusable =
        answer.media == answer_media::video_in_tracks && settings_.takes_tracks;
    const answer_signals signals{
        .kind = answer_kind::query,
        .media = is_unusable ? answer_media::video_without_url : answer.media};
    const auto classification = classify(signals);
    return no_post{
        error{*classification.failure, "yt-dlp: " + std::string{classification.reason}},
        classification,
        signals};
}

/// Names the proxy, and the platform if the proxy answers but cannot reach it, in the form of
/// net::http_client.
error yt_dlp_resolver::with_proxy(const error& why, const link& reel) const {
    if (!settings_.by_proxy) return error{errc::connection_failed, why.detail()};
    constexpr auto unreachable_statuses = std::to_array<std::string_view>(
        {"failed: 403", "failed: 502", "failed: 503", "failed: 504"});
    const bool is_of_target = std::ranges::any_of(
        unreachable_statuses, [&](auto words) { return contains(why.detail(), words); });
    const auto target = net::url::parse(reel.canonical_url());
    return error{
        errc::proxy_failed,
        settings_.by_proxy->address() +
            (is_of_target && target ? " to " + target->host() : std::string{}) + ": " +
            why.detail()};
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

parsed_answer parse_yt_dlp(std::string_view output, const link& reel) {
    const auto whole = parse_block(output);
    if (!whole || !whole->is_object()) return {};
    if (!is_of(*whole, reel)) return {.media = answer_media::other_post};

    const auto* entries = member(*whole, {"entries"});
    const bool is_carousel = entries != nullptr || text_at(*whole, {"_type"}) == "playlist";
    if (is_carousel && (entries == nullptr || !entries->is_array() || entries->empty()))
        return {.media = answer_media::unreadable};
    const auto is_video_at = [&](std::size_t index) {
        return video_of((*entries)[index]).media == answer_media::video;
    };
    const auto index = is_carousel ? chosen_slide(entries->size(), reel, is_video_at) : 0;
    const document& slide = is_carousel ? (*entries)[index] : *whole;
    auto video = video_of(slide);
    if (video.media != answer_media::video) return {.media = video.media};

    auto subject = describe_output(*whole, slide, reel);
    subject.media = remote_media{.url = std::move(video.url)};
    if (is_carousel) subject.carousel = position_of(index, entries->size());
    return {.media = answer_media::video, .subject = std::move(subject)};
}

no_post classify_yt_dlp(int status, std::string_view error_output) {
    const auto lines = lines_of(error_output);
    // A warning counts only without an error.
    if (auto known = known_failure(lines.errors.empty() ? lines.warnings : lines.errors))
        return *std::move(known);
    const std::string reason = "no post, for an unknown reason; status " + std::to_string(status);
    const auto last = lines.errors.empty() ? std::string_view{} : lines.errors.back();
    return yt_dlp_failure({.text = {}, .meaning = errc::platform_changed, .reason = reason}, last);
}

std::string_view yt_dlp_version_in(std::string_view output) {
    constexpr std::string_view shape = "0000.00.00";
    constexpr std::size_t characters_max = 40;
    const auto line = output.substr(0, output.find_first_of("\r\n"));
    if (line.size() < shape.size() || line.size() > characters_max) return {};
    if (line.find_first_not_of("0123456789.") != std::string_view::npos) return {};
    for (std::size_t at = 0; at < shape.size(); ++at) {
        if ((shape[at] == '.') != (line[at] == '.')) return {};
    }
    return line;
}

bool is_outdated_yt_dlp(std::string_view version) {
    return version.substr(0, yt_dlp_version_min.size()) < yt_dlp_version_min;
}

}  // namespace reelsd::platform
