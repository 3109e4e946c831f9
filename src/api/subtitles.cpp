#include "subtitles.hpp"

#include "reels.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

constexpr std::size_t file_name_max = 64;

struct subtitle_format {
    std::string_view suffix;
    std::string_view content_type;
    std::string (*write)(const std::vector<subtitle_cue>&);
};

constexpr subtitle_format subrip{"srt", "application/x-subrip; charset=utf-8", &subrip_text};
constexpr subtitle_format webvtt{"vtt", "text/vtt; charset=utf-8", &webvtt_text};

asio::awaitable<http::response> send_subtitles(
    http::request_context& ctx, jobs::job_store& jobs, const subtitle_format& format) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto job = co_await jobs.find(ctx.caller(), *id, ctx.database_by());
    if (!job || !job->result) co_return ctx.problem(error{errc::not_found});
    const auto spoken = transcript_of(*job->result);
    if (!spoken) co_return ctx.problem(spoken.error());
    http::response answer{
        http::status::ok, format.content_type, format.write(subtitle_cues(spoken->spoken))};
    answer.set("Content-Disposition", attachment_named(spoken->code, *id, format.suffix));
    co_return answer;
}

/// GET /api/v1/reels/{id}/subtitles.srt: the speech of one of the caller's reels, for players and
/// editors. 200 a SubRip file, empty without speech; 404 also when the reel is not done.
asio::awaitable<http::response> get_subrip(http::request_context& ctx, jobs::job_store& jobs) {
    co_return co_await send_subtitles(ctx, jobs, subrip);
}

/// GET /api/v1/reels/{id}/subtitles.vtt: as above, for browsers. 200 a WebVTT file; 404.
asio::awaitable<http::response> get_webvtt(http::request_context& ctx, jobs::job_store& jobs) {
    co_return co_await send_subtitles(ctx, jobs, webvtt);
}

constexpr auto subtitle_routes = std::to_array<http::route<jobs::job_store>>({
    {http::verb::get, "/reels/{id}/subtitles.srt", &get_subrip},
    {http::verb::get, "/reels/{id}/subtitles.vtt", &get_webvtt},
});

bool is_safe(char c) {
    return is_alphanumeric(c) || c == '-' || c == '_';
}

/// "01:02:03,456" with a comma for `point`.
std::string timestamp(std::chrono::milliseconds moment, char point) {
    const std::chrono::hh_mm_ss time{moment};
    return fmt::format(
        "{:02}:{:02}:{:02}{}{:03}",
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count(),
        point,
        time.subseconds().count());
}

void append_timing(std::string& file, const subtitle_cue& cue, char point) {
    file += fmt::format("{} --> {}\n", timestamp(cue.begin, point), timestamp(cue.end, point));
}

/// Replaces what players would interpret, because SubRip has no escapes: the arrow of a timing
/// line, and the brackets of tags (`<i>`) and of style overrides (`{\an8}`).
std::string without_markup(std::string_view line) {
    constexpr std::string_view arrow = "-->";
    std::string text;
    while (!line.empty()) {
        if (line.starts_with(arrow)) {
            text += "→";
            line.remove_prefix(arrow.size());
            continue;
        }
        switch (line.front()) {
            case '<': text += "‹"; break;
            case '>': text += "›"; break;
            case '{': text += '('; break;
            case '}': text += ')'; break;
            default: text += line.front();
        }
        line.remove_prefix(1);
    }
    return text;
}

void append_escaped(std::string& file, std::string_view line) {
    for (const char c : line) {
        switch (c) {
            case '&': file += "&amp;"; break;
            case '<': file += "&lt;"; break;
            case '>': file += "&gt;"; break;
            default: file += c;
        }
    }
}

/// The line with the times of its words, which players use to mark what is spoken.
void append_timed(std::string& file, const subtitle_cue& cue, std::size_t line) {
    const std::string_view text = cue.lines[line];
    std::size_t at = 0;
    for (const auto& part : cue.parts) {
        if (part.line != line) continue;
        append_escaped(file, text.substr(at, part.byte - at));
        file += fmt::format("<{}>", timestamp(part.begin, '.'));
        at = part.byte;
    }
    append_escaped(file, text.substr(at));
}

}  // namespace

void add_subtitle_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs) {
    router.add(subtitle_routes, jobs, prefix);
}

result<transcript> transcript_of(std::string_view document) {
    try {
        const auto stored = parse_foreign_json(document);
        transcript parsed{.code = stored.at("platform_meta").at("code"), .spoken = {}};
        for (const auto& segment : stored.at("audio").at("segments")) {
            spoken_text spoken{
                .text = segment.at("text"),
                .start_seconds = segment.at("start_seconds"),
                .end_seconds = segment.at("end_seconds")};
            for (const auto& word : segment.value("words", json::array())) {
                spoken.words.push_back(
                    {.text = word.at("text"),
                     .start_seconds = word.at("start_seconds"),
                     .end_seconds = word.at("end_seconds")});
            }
            parsed.spoken.push_back(std::move(spoken));
        }
        return parsed;
    } catch (const json::exception& why) {
        return error{errc::internal, fmt::format("the stored result: {}", why.what())};
    }
}

std::string attachment_named(std::string_view code, job_id id, std::string_view suffix) {
    std::string name;
    std::copy_if(code.begin(), code.end(), std::back_inserter(name), &is_safe);
    name.resize(std::min(name.size(), file_name_max));
    if (name.empty()) name = fmt::format("reel-{}", id.value);
    return fmt::format("attachment; filename=\"{}.{}\"", name, suffix);
}

std::string subrip_text(const std::vector<subtitle_cue>& cues) {
    std::string file;
    std::size_t number = 0;
    for (const auto& cue : cues) {
        if (number > 0) file += '\n';
        file += fmt::format("{}\n", ++number);
        append_timing(file, cue, ',');
        for (const auto& line : cue.lines) file.append(without_markup(line)).append("\n");
    }
    return file;
}

std::string webvtt_text(const std::vector<subtitle_cue>& cues) {
    std::string file = "WEBVTT\n";
    for (const auto& cue : cues) {
        file += '\n';
        append_timing(file, cue, '.');
        for (std::size_t line = 0; line < cue.lines.size(); ++line) {
            append_timed(file, cue, line);
            file += '\n';
        }
    }
    return file;
}

}  // namespace reelsd::api
