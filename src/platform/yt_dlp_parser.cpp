#include "data_blocks.hpp"
#include "json_access.hpp"
#include "media_reader.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/platform/yt_dlp_parser.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace reelsd::platform {
namespace {

/// Whether a format is a file with picture and sound (a silent post has none), to be had by plain
/// HTTP. Codecs are often null, which means unknown.
bool is_whole_file(const document& format) {
    if (text_at(format, {"format_id"}).value_or("").starts_with("dash-")) return false;
    if (text_at(format, {"vcodec"}) == "none") return false;
    const auto protocol = text_at(format, {"protocol"}).value_or("https");
    return protocol == "https" || protocol == "http";
}

/// The address of the largest file. yt-dlp puts what it likes best last.
std::optional<std::string> best_video_url(const document& formats) {
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
    answer_media what = answer_media::absent;
    std::string url = {};
};

/// The video of a post that is no carousel, or of a carousel's entry, which is null when yt-dlp
/// found no video there.
slide_video video_of(const document& slide) {
    if (!slide.is_object()) return {};
    const auto* formats = member(slide, {"formats"});
    if (formats != nullptr && formats->is_array()) {
        if (formats->empty()) return {.what = answer_media::photo};
        auto url = best_video_url(*formats);
        if (!url) return {.what = answer_media::video_without_url};
        return {.what = answer_media::video, .url = *std::move(url)};
    }
    // A post's only format stands in the post itself.
    auto url = text_at(slide, {"url"});
    if (!url || !is_http_url(*url) || !is_whole_file(slide))
        return {.what = answer_media::video_without_url};
    return {.what = answer_media::video, .url = *std::move(url)};
}

/// The wanted entry, from 0: the one that the link names if it is there, else the first video, else
/// the first. `entries` is not empty.
std::size_t entry_index(const document& entries, const link& wanted) {
    if (const auto named = named_slide(entries.size(), wanted)) return *named;
    for (std::size_t index = 0; index < entries.size(); ++index) {
        if (video_of(entries[index]).what == answer_media::video) return index;
    }
    return 0;
}

/// Objects that tell of a post, the first one's word before the second one's.
using tellers = std::array<const document*, 2>;

std::optional<std::string> first_text(const tellers& from, const char* name) {
    for (const auto* one : from) {
        if (auto text = text_at(*one, {name})) return text;
    }
    return std::nullopt;
}

std::optional<std::int64_t> first_count(const tellers& from, const char* name) {
    for (const auto* one : from) {
        if (const auto count = count_at(*one, {name})) return count;
    }
    return std::nullopt;
}

/// Of the list, the last one is the largest.
std::optional<std::string> thumbnail_of(const document& slide) {
    if (auto url = text_at(slide, {"thumbnail"}); url && is_http_url(*url)) return url;
    const auto& all = array_at(slide, {"thumbnails"});
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        if (auto url = text_at(*one, {"url"}); url && is_http_url(*url)) return url;
    }
    return std::nullopt;
}

/// Everything but the file. `slide` is the post itself unless that is a carousel.
post describe(const document& whole, const document& slide, const link& wanted) {
    const tellers both{&whole, &slide};
    post subject;
    subject.code = public_code(wanted.code);
    subject.url = post_link(subject.code).canonical_url();
    subject.author = first_text(both, "channel").value_or("");
    subject.author_name = first_text(both, "uploader");
    put_caption(subject, first_text(both, "description"));
    subject.like_count = first_count(both, "like_count");
    subject.comment_count = first_count(both, "comment_count");
    subject.view_count = first_count(both, "view_count");
    subject.posted_at = posted_at(first_count(both, "timestamp"));
    subject.thumbnail_url = thumbnail_of(slide);
    if (!subject.thumbnail_url) subject.thumbnail_url = thumbnail_of(whole);
    return subject;
}

bool is_of(const document& whole, const link& wanted) {
    const auto id = text_at(whole, {"id"});
    return id && (*id == wanted.code || *id == public_code(wanted.code));
}

// Why there is no post.

struct known_words {
    std::string_view text;
    errc meaning;
    std::string_view reason;
    bool is_in_doubt = false;
    bool throttles_client = false;
};

/// In the order in which they count: what stands higher is said beside what stands lower.
constexpr auto known_platform_errors = std::to_array<known_words>({
    {"redirected to the login page", errc::platform_rate_limited, "sent to the login page"},
    {"rate-limit reached or login required", errc::platform_rate_limited, "rate limit"},
    {"HTTP Error 429", errc::platform_rate_limited, "status 429", false, true},
    {"only available for registered users who follow this account",
     errc::login_required,
     "only for followers"},
    {"This content may be inappropriate", errc::video_restricted, "closed to some audiences"},
    {"Restricted Video", errc::video_restricted, "closed to some audiences"},
    // An outdated yt-dlp says so of every post.
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
    {"Unsupported URL", errc::platform_changed, "yt-dlp is outdated: it does not know the link"},
    {"no such option", errc::platform_changed, "yt-dlp is outdated: it lacks an option"},
    {"HTTP Error", errc::platform_failed, "the platform failed"},
    {"timed out", errc::timed_out, "the platform did not answer in time"},
    {"Connection", errc::connection_failed, "the connection failed"},
    {"Unable to download webpage", errc::connection_failed, "the connection failed"},
});

/// Said on the way to success as well.
constexpr auto ignored_warnings = std::to_array<std::string_view>(
    {"No CSRF token set by Instagram API",
     "Instagram API is not granting access",
     "General metadata extraction failed",
     "Main webpage is locked behind the login page"});

struct said_lines {
    std::vector<std::string_view> errors;
    std::vector<std::string_view> warnings;
};

said_lines lines_of(std::string_view platform_errors) {
    said_lines lines;
    while (!platform_errors.empty()) {
        const auto end = std::min(platform_errors.find_first_of("\r\n"), platform_errors.size());
        const auto line = platform_errors.substr(0, end);
        platform_errors.remove_prefix(std::min(end + 1, platform_errors.size()));
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

/// As much of a line as a log should have: printable ASCII, and no address with its parameters.
std::string quoted(std::string_view line) {
    constexpr std::size_t characters_max = 200;
    line = line.substr(0, std::min(line.find('?', line.find("://")), characters_max));
    std::string text{line};
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

no_post failed(const known_words& words, std::string_view line) {
    std::string detail{"yt-dlp: "};
    detail.append(words.reason);
    if (!line.empty()) detail.append("; it said: ").append(quoted(line));
    no_post none{error{words.meaning, std::move(detail)}, words.is_in_doubt, confidence::low};
    none.throttles_client = words.throttles_client;
    return none;
}

std::optional<no_post> meaning_of(const std::vector<std::string_view>& lines) {
    for (const auto& words : known_platform_errors) {
        for (const auto line : lines) {
            if (contains(line, words.text)) return failed(words, line);
        }
    }
    return std::nullopt;
}

}  // namespace

parsed_yt_dlp parse_yt_dlp(std::string_view output, const link& wanted) {
    const auto whole = parse_block(output);
    if (!whole || !whole->is_object()) return {};
    if (!is_of(*whole, wanted)) return {.media = answer_media::other_post};

    const auto* entries = member(*whole, {"entries"});
    const bool is_carousel = entries != nullptr || text_at(*whole, {"_type"}) == "playlist";
    if (is_carousel && (entries == nullptr || !entries->is_array() || entries->empty()))
        return {.media = answer_media::unreadable};
    const auto index = is_carousel ? entry_index(*entries, wanted) : 0;
    const document& slide = is_carousel ? (*entries)[index] : *whole;
    auto video = video_of(slide);
    if (video.what != answer_media::video) return {.media = video.what};

    auto subject = describe(*whole, slide, wanted);
    subject.media = remote_media{.url = std::move(video.url)};
    if (is_carousel)
        subject.carousel = carousel_position{
            .index = static_cast<int>(index) + 1, .count = static_cast<int>(entries->size())};
    return {.media = answer_media::video, .subject = std::move(subject)};
}

no_post classify_yt_dlp(int status, std::string_view error_output) {
    const auto lines = lines_of(error_output);
    // Beside an error, a warning is no more than a circumstance.
    if (auto known = meaning_of(lines.errors.empty() ? lines.warnings : lines.errors))
        return *std::move(known);
    const std::string reason = "no post and no known reason, status " + std::to_string(status);
    const auto last = lines.errors.empty() ? std::string_view{} : lines.errors.back();
    return failed({.text = {}, .meaning = errc::platform_changed, .reason = reason}, last);
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
