#include "render.hpp"

#include "api_client.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>

#include <boost/algorithm/string/join.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <sstream>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// Shown in place of a value that the server did not send.
constexpr const char* unknown = "unknown";
constexpr const char* none = "none";
constexpr const char* no_value = "?";

bool has_elements(const json& array) {
    return array.is_array() && !array.empty();
}

std::vector<std::string> texts_of(const json& object, const char* name) {
    std::vector<std::string> texts;
    const auto& elements = member(object, name);
    if (!elements.is_array()) return texts;
    for (const auto& element : elements) {
        if (element.is_string()) texts.push_back(element.get<std::string>());
    }
    return texts;
}

std::string list_or_none(const std::vector<std::string>& texts) {
    return texts.empty() ? none : boost::join(texts, ", ");
}

std::string with_sign(char sign, const std::vector<std::string>& names) {
    std::vector<std::string> signed_names;
    signed_names.reserve(names.size());
    for (const auto& name : names) signed_names.push_back(sign + name);
    return boost::join(signed_names, " ");
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

constexpr std::size_t extract_indent = 2;

std::string value_text(const json& value) {
    if (value.is_null()) return none;
    if (value.is_string()) return value.get<std::string>();
    return dumped(value);
}

void draw_value(page& out, std::size_t indent, const std::string& lead, const json& value);

/// The members one below the other; `bullet` is before the first one.
void draw_members(page& out, std::size_t indent, std::string_view bullet, const json& object) {
    const auto hanging = indent + bullet.size();
    for (const auto& [name, value] : object.items()) {
        const auto lead = fmt::format("{}{}:", bullet, name);
        draw_value(out, bullet.empty() ? hanging : indent, lead, value);
        bullet = {};
    }
}

void draw_elements(page& out, std::size_t indent, const json& array) {
    for (const auto& element : array) {
        if (element.is_object() && !element.empty()) {
            draw_members(out, indent, "- ", element);
        } else {
            draw_value(out, indent, "-", element);
        }
    }
}

/// A value behind its name or its bullet; the elements of arrays and objects are below it. The
/// recursion is as deep as the document, whose depth parse_foreign_json() bounds.
void draw_value(page& out, std::size_t indent, const std::string& lead, const json& value) {
    const bool is_nested = value.is_structured() && !value.empty();
    const auto text = value.is_structured() ? std::string{none} : value_text(value);
    out.item(indent, lead, is_nested ? std::string{} : text);
    if (!is_nested) return;
    const auto inner = indent + extract_indent + (lead.starts_with("- ") ? extract_indent : 0);
    if (value.is_array()) {
        draw_elements(out, inner, value);
    } else {
        draw_members(out, inner, "", value);
    }
}

std::string id_text(const json& reel) {
    const auto id = integer_of(reel, "id");
    return id ? fmt::format("{}", *id) : no_value;
}

/// "$0.16522": the shortest decimal of the same value, with at least two decimal places. For up to
/// 15 digits that is what the server wrote. `unknown` without a number.
std::string cost_text(const json& object, const char* name) {
    const auto cost = number_of(object, name);
    if (!cost) return unknown;
    std::array<char, 400> digits{};  // The longest finite number takes 309, the shortest 326.
    const auto written = std::to_chars(
        digits.data(), digits.data() + digits.size(), *cost, std::chars_format::fixed);
    std::string text{digits.data(), written.ptr};
    const auto point = text.find('.');
    if (point == std::string::npos) return "$" + text + ".00";
    if (text.size() - point == 2) text.push_back('0');
    return "$" + text;
}

/// The section with the fields that the submission of a job requested, or why there are none.
/// Nothing if it requested none.
void draw_extract(page& out, const json& job) {
    const auto& extract = member(job, "extract");
    const auto failure = text_of(job, "extract_error");
    if (extract.is_null() && !failure) return;
    out.heading("EXTRACT");
    if (failure) out.item(extract_indent, "The fields were not extracted:", *failure);
    if (extract.is_object()) draw_members(out, extract_indent, "", extract);
}

void draw_timed_texts(page& out, const char* label, const json& segments) {
    out.label(label);
    for (const auto& segment : segments) {
        const auto start = number_of(segment, "start_seconds").value_or(0);
        out.timed(clock_text(start), text_of(segment, "text").value_or(""));
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
        out.field("Text on screen", texts.empty() ? none : boost::join(texts, "\n"));
    }
}

std::string music_text(const json& audio) {
    const auto has_music = boolean_of(audio, "has_music");
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
    out.field("Topics", list_or_none(texts_of(content, "topics")));
    const auto hooks = texts_of(content, "hooks");
    out.field("Hooks", hooks.empty() ? none : boost::join(hooks, "\n"));
    out.field("Call to action", text_or(content, "call_to_action", none));
    const auto& moments = member(content, "key_moments");
    if (!has_elements(moments)) return out.field("Key moments", none);
    out.label("Key moments");
    for (const auto& moment : moments) {
        const auto seconds = number_of(moment, "seconds");
        const auto time = seconds ? clock_text(*seconds) : text_or(moment, "timestamp", "--:--");
        out.timed(one_line(time), text_of(moment, "description").value_or(""));
    }
}

/// "12 s, 720x1280, 30 frames/s, h264 and aac, 1.2 MB", without unknown parts.
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
    return parts.empty() ? unknown : boost::join(parts, ", ");
}

void draw_metadata(page& out, const json& metadata) {
    out.heading("METADATA");
    out.field("Format", text_or(metadata, "format", unknown));
    out.field("Sentiment", text_or(metadata, "sentiment", unknown));
    out.field("Audience", text_or(metadata, "target_audience", unknown));
    out.field("Video", file_text(metadata));
    // On its own line: after a label, 64 characters would not fit 80 columns.
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
    if (boolean_of(meta, "author_verified").value_or(false)) text += ", verified";
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
        fmt::format(
            "{}, {}, {}",
            count_text(meta, "like_count", "likes"),
            count_text(meta, "comment_count", "comments"),
            count_text(meta, "view_count", "views")));
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

/// "Reel 42: done in 31 s", without the time in the queue.
std::string headline(const json& job) {
    auto text = fmt::format("Reel {}: {}", id_text(job), text_or(job, "status", unknown));
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

/// Whether the platform refused the video of a link, so that the user may upload it.
bool may_be_uploaded(const json& job) {
    const auto code = text_or(job, "error_code", "");
    return (code == "rate_limited" || code == "download_failed") &&
           !text_or(job, "url", "").starts_with("upload:");
}

/// "2026-05-22 10:00", in UTC.
std::string minute_text(const std::string& rfc3339) {
    constexpr std::size_t up_to_minutes = 16;
    const auto text = moment_text(rfc3339);
    return text == rfc3339 ? text : text.substr(0, up_to_minutes);
}

std::string author_of(const json& reel) {
    const auto author = text_or(reel, "author", "");
    return author.empty() ? author : "@" + author;
}

/// "(2 earlier) " for a reel that has earlier ones of the same post.
std::string earlier_mark(const json& reel) {
    const auto earlier = integer_of(reel, "earlier").value_or(0);
    return earlier > 0 ? fmt::format("({} earlier) ", earlier) : "";
}

/// "DYa0IXPgnP5" of a link, "upload:a.mp4" of a file.
std::string_view end_of_link(std::string_view url) {
    url = url.substr(0, url.find_first_of("?#"));
    for (const std::string_view tail : {"/", "/captioned", "/embed"}) {
        while (url.ends_with(tail)) url.remove_suffix(tail.size());
    }
    return url.substr(url.rfind('/') + 1);
}

/// The error of a reel with the end of its link, its summary, or its link.
table_cell summary_cell(const json& reel, const render_options& options) {
    if (const auto why = text_of(reel, "error")) {
        const auto url = text_or(reel, "url", no_value);
        return {fmt::format("{}: {}", end_of_link(url), *why), style::trouble};
    }
    if (const auto summary = text_or(reel, "summary", ""); !summary.empty()) return {summary};
    auto link = text_or(reel, "url", no_value);
    // The common beginning of all links is omitted to save space.
    constexpr std::string_view common = "https://www.";
    if (options.table_columns && link.starts_with(common)) link.erase(0, common.size());
    return {std::move(link), style::quiet};
}

/// "text on screen" of "visual.text_on_screen".
std::string field_text(std::string field) {
    field.erase(0, field.rfind('.') + 1);
    for (auto& c : field) {
        if (c == '_') c = ' ';
    }
    return field;
}

void draw_match(page& out, const json& match) {
    const auto text = text_of(match, "text");
    if (!text) return;
    const auto field = field_text(text_or(match, "field", ""));
    const auto passage = field.empty() ? *text : fmt::format("{}: {}", field, *text);
    if (const auto seconds = number_of(match, "seconds")) {
        out.timed(clock_text(*seconds), passage);
    } else {
        out.indented(passage);
    }
}

void draw_hit(page& out, const json& hit) {
    auto headline = "Reel " + id_text(hit);
    if (const auto author = author_of(hit); !author.empty()) headline += ", " + author;
    if (const auto created = text_of(hit, "created_at")) {
        headline += ", " + minute_text(*created).substr(0, 10);
    }
    if (const auto score = number_of(hit, "score")) {
        headline += ", score " + fmt::format("{:.2f}", *score);
    }
    out.line(headline, style::strong);
    const auto summary = text_or(hit, "summary", "");
    if (!summary.empty()) out.indented(summary);
    const auto& match = member(hit, "match");
    if (text_or(match, "text", "") != summary) draw_match(out, match);
    out.indented(text_or(hit, "url", no_value), style::quiet);
}

/// "Reel 42 at 00:12: “text”", and the link of its post.
void draw_citation(page& out, const json& citation) {
    auto head = "Reel " + id_text(citation);
    if (const auto seconds = number_of(citation, "seconds")) {
        head += " at " + clock_text(*seconds);
    }
    out.item(2, head + ":", fmt::format("“{}”", text_or(citation, "text", unknown)));
    const auto code = text_or(citation, "code", "");
    const bool has_post = !code.empty() && !code.starts_with("upload-");
    if (!has_post) return;
    out.indented(
        fmt::format("https://www.instagram.com/reel/{}/", percent_encoded(code)), style::quiet);
}

std::string usage_count(const json& object, const char* name) {
    const auto count = integer_of(object, name);
    return count ? grouped(*count) : unknown;
}

std::string usage_headline(const usage_query& days) {
    if (days.from && days.to) return fmt::format("Usage from {} to {}", *days.from, *days.to);
    if (days.from) return fmt::format("Usage since {}", *days.from);
    if (days.to) return fmt::format("Usage up to {}", *days.to);
    return "Usage of all time";
}

/// A column of a table of documents. Its cells show a member, `unknown` if it is missing.
struct member_column {
    table_column column;
    const char* name;
    std::string (*text)(const json& document, const char* name);
};

std::string text_cell(const json& document, const char* name) {
    return text_or(document, name, unknown);
}

table_column number_column(const char* heading, int drop_order = 0) {
    return {.heading = heading, .align = alignment::right, .drop_order = drop_order};
}

std::string member_table(
    const json& documents, const std::vector<member_column>& columns,
    const render_options& options) {
    std::vector<table_column> headings;
    for (const auto& each : columns) headings.push_back(each.column);
    table lines{std::move(headings)};
    for (const auto& document : documents) {
        std::vector<table_cell> row;
        for (const auto& each : columns) row.push_back({each.text(document, each.name)});
        lines.add(std::move(row));
    }
    const auto dropped = lines.dropped(options.table_columns);
    return lines.text(options.table_columns, options.allowed) +
           (dropped.empty() ? "" : fmt::format("(too narrow for {}; see --json)\n", dropped));
}

}  // namespace

bool is_answered(const json& answer) {
    return boolean_of(answer, "answered").value_or(false) &&
           has_elements(member(answer, "citations"));
}

const json& key_moments_of(const json& job) {
    const auto& moments = member(member(member(job, "result"), "content"), "key_moments");
    static const json missing;
    return moments.is_array() ? moments : missing;
}

std::optional<std::chrono::seconds> retry_wait(
    const json& job, std::chrono::system_clock::time_point now) {
    constexpr std::int64_t seconds_max = 86'400 * 366;
    if (!boolean_of(job, "retryable").value_or(false)) return std::nullopt;
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
        out.line(fmt::format("Position {} in your queue", *place));
    }
    const auto& result = member(job, "result");
    if (!result.is_object()) return out.take();

    const auto& content = member(result, "content");
    if (const auto summary = text_or(content, "summary", ""); !summary.empty()) {
        out.gap();
        out.line(summary, style::strong);
    }
    const auto& metadata = member(result, "metadata");
    for (const auto& warning : texts_of(metadata, "warnings")) {
        out.line("Warning: " + warning, style::busy);
    }
    draw_extract(out, job);
    draw_visual(out, member(result, "visual"));
    draw_audio(out, member(result, "audio"));
    draw_content(out, content);
    draw_metadata(out, metadata);
    draw_platform(out, member(result, "platform_meta"));
    return out.take();
}

std::string render_reels(const json& reels, const render_options& options) {
    // The longest status is "processing"; an author's name has at most 30 characters.
    table lines{
        {{.heading = "ID", .align = alignment::right},
         {.heading = "STATUS"},
         {.heading = "CREATED (UTC)", .drop_order = 2},
         {.heading = "AUTHOR", .drop_order = 1, .cells_max = 14},
         {.heading = "SUMMARY", .stretches = true}}};
    for (const auto& reel : reels) {
        const auto status = text_or(reel, "status", no_value);
        auto summary = summary_cell(reel, options);
        summary.text.insert(0, earlier_mark(reel));
        lines.add(
            {{id_text(reel)},
             {status, style_of_status(status)},
             {minute_text(text_or(reel, "created_at", no_value))},
             {author_of(reel)},
             std::move(summary)});
    }
    return lines.text(options.table_columns, options.allowed);
}

std::string render_hits(const json& hits, const render_options& options) {
    page out{options};
    bool is_first = true;
    for (const auto& hit : hits) {
        if (!is_first) out.gap();
        is_first = false;
        draw_hit(out, hit);
    }
    return out.take();
}

std::string render_answer(const json& answer, const render_options& options) {
    page out{options};
    out.line(text_or(answer, "answer", unknown), is_answered(answer) ? style::plain : style::busy);
    if (const auto& citations = member(answer, "citations"); has_elements(citations)) {
        out.gap();
        for (const auto& citation : citations) draw_citation(out, citation);
    }
    out.gap();
    const auto& model = member(answer, "model");
    out.line(
        fmt::format(
            "Cost {}, by {} ({})",
            cost_text(answer, "cost_usd"),
            text_or(model, "name", unknown),
            text_or(model, "provider", unknown)),
        style::quiet);
    return out.take();
}

std::string render_presets(const json& presets, const render_options& options) {
    table lines{{{.heading = "PRESET"}, {.heading = "DESCRIPTION", .stretches = true}}};
    for (const auto& preset : presets) {
        lines.add(
            {{text_or(preset, "name", no_value)}, {text_or(preset, "description", no_value)}});
    }
    return lines.text(options.table_columns, options.allowed);
}

std::string render_usage(
    const json& usage, const usage_query& period, const render_options& options) {
    page out{options};
    out.line(usage_headline(period), style::strong);
    out.field("Model calls", usage_count(usage, "total_calls"));
    out.field("Prompt tokens", usage_count(usage, "total_prompt_tokens"));
    out.field("Output tokens", usage_count(usage, "total_output_tokens"));
    out.field("Tokens", usage_count(usage, "total_tokens"));
    out.field("Cost", cost_text(usage, "total_cost_usd"));
    if (const auto calls = integer_of(usage, "total_unpriced_calls")) {
        out.field(
            "Not included",
            fmt::format("{} call{} of unknown cost", grouped(*calls), *calls == 1 ? "" : "s"));
    }
    auto text = out.take();
    if (const auto& models = member(usage, "by_model"); has_elements(models)) {
        text += "\n" + member_table(
                           models,
                           {{{.heading = "MODEL", .stretches = true}, "model", text_cell},
                            {{.heading = "PURPOSE"}, "purpose", text_cell},
                            {number_column("CALLS"), "calls", usage_count},
                            {number_column("PROMPT TOKENS", 2), "prompt_tokens", usage_count},
                            {number_column("OUTPUT TOKENS", 1), "output_tokens", usage_count},
                            {number_column("TOKENS"), "total_tokens", usage_count},
                            {number_column("COST"), "cost_usd", cost_text}},
                           options);
    }
    if (const auto& days = member(usage, "by_day"); has_elements(days)) {
        text += "\n" + member_table(
                           days,
                           {{{.heading = "DATE"}, "date", text_cell},
                            {number_column("REELS"), "reels", usage_count},
                            {number_column("CALLS"), "calls", usage_count},
                            {number_column("TOKENS"), "total_tokens", usage_count},
                            {number_column("COST"), "cost_usd", cost_text}},
                           options);
    }
    return text;
}

}  // namespace reelsd::cli
