#include "render.hpp"

#include "page.hpp"
#include "text.hpp"
#include <reelsd/base/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <sstream>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

constexpr const char* none = "none";

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
    return fmt::format("{}", fmt::join(texts, separator));
}

std::string list_or_none(const std::vector<std::string>& texts) {
    return texts.empty() ? none : joined(texts, ", ");
}

std::string with_sign(char sign, const std::vector<std::string>& names) {
    std::vector<std::string> signed_names;
    signed_names.reserve(names.size());
    for (const auto& name : names) signed_names.push_back(sign + name);
    return joined(signed_names, " ");
}

std::optional<std::chrono::sys_seconds> time_from(const std::optional<std::string>& rfc3339) {
    if (!rfc3339) return std::nullopt;
    std::tm parts{};
    std::istringstream input{*rfc3339};
    input >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
    if (input.fail()) return std::nullopt;
    return std::chrono::sys_seconds{std::chrono::seconds{timegm(&parts)}};
}

std::optional<std::chrono::seconds> seconds_between(
    const std::optional<std::string>& from, const std::optional<std::string>& to) {
    const auto begin = time_from(from);
    const auto end = time_from(to);
    if (!begin || !end || *end < *begin) return std::nullopt;
    return *end - *begin;
}

void draw_timed_texts(page& out, const char* label, const json& segments) {
    out.label(label);
    for (const auto& one : segments) {
        const auto start = number_of(one, "start_seconds").value_or(0);
        out.timed(clock_text(start), text_of(one, "text").value_or(""));
    }
}

void draw_visual(page& out, const json& visual) {
    out.heading("VISUAL");
    out.field("Description", text_or(visual, "description", unknown));
    out.field("Setting", text_or(visual, "setting", unknown));
    out.field("Subjects", list_or_none(texts_of(visual, "subjects")));
    if (const auto& segments = member(visual, "text_segments"); has_elements(segments)) {
        draw_timed_texts(out, "Text on screen", segments);
    } else {
        const auto texts = texts_of(visual, "text_on_screen");
        out.field("Text on screen", texts.empty() ? none : joined(texts, "\n"));
    }
}

std::string music_text(const json& audio) {
    const auto has_music = truth_of(audio, "has_music");
    if (!has_music) return unknown;
    return *has_music ? text_or(audio, "music_description", "yes") : none;
}

void draw_audio(page& out, const json& audio) {
    out.heading("AUDIO");
    const auto transcript = text_or(audio, "transcript", "");
    out.field("Language", text_or(audio, "language", transcript.empty() ? none : unknown));
    out.field("Music", music_text(audio));
    if (const auto& segments = member(audio, "segments"); has_elements(segments)) {
        draw_timed_texts(out, "Transcript", segments);
    } else {
        out.field("Transcript", transcript.empty() ? none : transcript);
    }
}

void draw_content(page& out, const json& content) {
    out.heading("CONTENT");
    out.field("Summary", text_or(content, "summary", unknown));
    out.field("Topics", list_or_none(texts_of(content, "topics")));
    const auto hooks = texts_of(content, "hooks");
    out.field("Hooks", hooks.empty() ? none : joined(hooks, "\n"));
    out.field("Call to action", text_or(content, "call_to_action", none));
    const auto& moments = member(content, "key_moments");
    if (!has_elements(moments)) return out.field("Key moments", none);
    out.label("Key moments");
    for (const auto& one : moments) {
        const auto seconds = number_of(one, "seconds");
        const auto time = seconds ? clock_text(*seconds) : text_or(one, "timestamp", "--:--");
        out.timed(printable(time, line_breaks::to_blank), text_of(one, "description").value_or(""));
    }
}

/// "12 s, 720x1280, 30 fps, h264 and aac, 1.2 MB": what is known of it.
std::string file_text(const json& metadata) {
    std::vector<std::string> parts;
    if (const auto seconds = number_of(metadata, "duration_seconds")) {
        parts.push_back(duration_text(*seconds));
    }
    const auto width = integer_of(metadata, "width");
    const auto height = integer_of(metadata, "height");
    if (width && height) parts.push_back(fmt::format("{}x{}", *width, *height));
    if (const auto rate = number_of(metadata, "frame_rate")) {
        parts.push_back(short_number(*rate) + " frames/s");
    }
    if (const auto video = text_of(metadata, "video_codec")) {
        const auto audio = text_of(metadata, "audio_codec");
        parts.push_back(*video + (audio ? " and " + *audio : ", no sound"));
    }
    if (const auto bytes = integer_of(metadata, "size_bytes")) parts.push_back(bytes_text(*bytes));
    return parts.empty() ? unknown : joined(parts, ", ");
}

void draw_metadata(page& out, const json& metadata) {
    out.heading("METADATA");
    out.field("Format", text_or(metadata, "format", unknown));
    out.field("Sentiment", text_or(metadata, "sentiment", unknown));
    out.field("Audience", text_or(metadata, "target_audience", unknown));
    out.field("Video", file_text(metadata));
    // On a line of its own: behind a label, 64 characters would not fit 80 columns.
    out.label("SHA-256");
    out.timed("", text_or(metadata, "sha256", unknown));
    const auto& model = member(metadata, "model");
    out.field(
        "Analysed by",
        text_or(model, "name", unknown) + " (" + text_or(model, "provider", unknown) + ")");
}

std::string author_text(const json& meta) {
    const auto handle = text_or(meta, "author", "");
    auto text = handle.empty() ? std::string{unknown} : "@" + handle;
    if (const auto name = text_of(meta, "author_name"); name && !name->empty()) {
        text += " (" + *name + ")";
    }
    if (truth_of(meta, "author_verified").value_or(false)) text += ", verified";
    return text;
}

std::string count_text(const json& meta, const char* name, const char* what) {
    const auto count = integer_of(meta, name);
    return fmt::format("{} {}", count ? grouped(*count) : std::string{unknown}, what);
}

void draw_platform(page& out, const json& meta) {
    out.heading("PLATFORM");
    out.field("Link", text_or(meta, "url", unknown));
    out.field("Author", author_text(meta));
    out.field("Posted", moment_text(text_or(meta, "posted_at", unknown)));
    out.field(
        "Counts",
        joined(
            {count_text(meta, "like_count", "likes"),
             count_text(meta, "comment_count", "comments"),
             count_text(meta, "view_count", "views")},
            ", "));
    if (const auto title = text_of(meta, "music_title")) {
        const auto artist = text_of(meta, "music_artist");
        out.field("Music", *title + (artist ? " by " + *artist : ""));
    }
    if (const auto place = text_of(meta, "location")) out.field("Location", *place);
    out.field("Caption", text_or(meta, "caption", none));
    const auto hashtags = texts_of(meta, "hashtags");
    if (!hashtags.empty()) out.field("Hashtags", with_sign('#', hashtags));
    const auto mentions = texts_of(meta, "mentions");
    if (!mentions.empty()) out.field("Mentions", with_sign('@', mentions));
    if (const auto thumbnail = text_of(meta, "thumbnail_url")) out.field("Thumbnail", *thumbnail);
}

/// "Reel 42: done in 31 s", counted from the start of the work, not from the time in the queue.
std::string headline(const json& job) {
    const auto id = integer_of(job, "id");
    auto text = fmt::format(
        "Reel {}: {}", id ? fmt::format("{}", *id) : "?", text_or(job, "status", unknown));
    const auto took = seconds_between(text_of(job, "started_at"), text_of(job, "finished_at"));
    if (took) text += " in " + duration_text(static_cast<double>(took->count()));
    return text;
}

/// "You can try again in 12 min." Rounded up to minutes.
std::string retry_text(std::chrono::seconds wait) {
    if (wait == 0s) return "You can try again now.";
    const auto shown = wait > 1min ? std::chrono::ceil<std::chrono::minutes>(wait) : wait;
    return fmt::format(
        "You can try again in {}.", duration_text(std::chrono::duration<double>{shown}.count()));
}

/// Whether the platform did not give the video of a link.
bool may_be_uploaded(const json& job) {
    const auto code = text_or(job, "error_code", "");
    return (code == "rate_limited" || code == "download_failed") &&
           !text_or(job, "url", "").starts_with("upload:");
}

}  // namespace

std::optional<std::chrono::seconds> retry_wait(
    const json& job, std::chrono::system_clock::time_point now) {
    constexpr std::int64_t seconds_max = 86'400 * 366;
    if (!truth_of(job, "retryable").value_or(false)) return std::nullopt;
    const auto finished_at = time_from(text_of(job, "finished_at"));
    const auto wait = integer_of(job, "retry_after_seconds");
    if (!finished_at || !wait) return std::chrono::seconds{0};
    const auto may_retry_at =
        *finished_at + std::chrono::seconds{std::clamp<std::int64_t>(*wait, 0, seconds_max)};
    return std::max(std::chrono::ceil<std::chrono::seconds>(may_retry_at - now), 0s);
}

std::string render_job(
    const json& job, const render_options& options, std::chrono::system_clock::time_point now) {
    page out{options};
    out.line(headline(job), style_of_status(text_or(job, "status", unknown)));
    if (const auto url = text_of(job, "url")) out.line(*url);
    if (const auto why = text_of(job, "error")) {
        out.line(fmt::format("{} ({})", *why, text_or(job, "error_code", unknown)));
        const auto wait = retry_wait(job, now);
        if (wait && integer_of(job, "retry_after_seconds")) out.line(retry_text(*wait));
        if (may_be_uploaded(job)) out.line("To upload the video: reels analyze FILE --link URL");
    }
    if (const auto place = integer_of(job, "queue_position")) {
        out.line(fmt::format("Number {} in your queue", *place));
    }
    const auto& result = member(job, "result");
    if (!result.is_object()) return out.take();

    const auto& metadata = member(result, "metadata");
    for (const auto& warning : texts_of(metadata, "warnings")) {
        out.line("Warning: " + warning, style::busy);
    }
    draw_visual(out, member(result, "visual"));
    draw_audio(out, member(result, "audio"));
    draw_content(out, member(result, "content"));
    draw_metadata(out, metadata);
    draw_platform(out, member(result, "platform_meta"));
    return out.take();
}

}  // namespace reelsd::cli
