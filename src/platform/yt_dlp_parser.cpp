#include "yt_dlp_parser.hpp"

#include "media_reader.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/platform/yt_dlp_resolver.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace reelsd::platform {
namespace {

/// Whether a format is a file with picture and sound (none in a silent post) over plain HTTP.
/// Codecs are often null, which means unknown.
bool is_whole_file(const document& format) {
    if (text_at(format, {"format_id"}).value_or("").starts_with("dash-")) return false;
    if (text_at(format, {"vcodec"}) == "none") return false;
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
        if (!url) return {.media = answer_media::video_without_url};
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

struct error_lines {
    std::vector<std::string_view> errors;
    std::vector<std::string_view> warnings;
};

error_lines lines_of(std::string_view output) {
    error_lines lines;
    while (!output.empty()) {
        const auto end = std::min(output.find_first_of("\r\n"), output.size());
        const auto line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        const bool is_ignored =
            line.empty() ||
            std::any_of(ignored_warnings.begin(), ignored_warnings.end(), [&](auto words) {
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
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
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
