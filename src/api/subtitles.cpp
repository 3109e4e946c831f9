#include "subtitles.hpp"

#include "resources.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

namespace reelsd::api {
namespace {

/// Blanks, line breaks and control characters, without the no-break space.
bool is_blank(char32_t point) {
    return point <= 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x2028 ||
           point == 0x2029 || point == 0x3000;
}

word_end end_of(char32_t last) {
    constexpr std::u32string_view sentence_ends = U".!?…。！？।";
    constexpr std::u32string_view clause_ends = U",;:，、；：";
    if (sentence_ends.find(last) != std::u32string_view::npos) return word_end::sentence;
    return clause_ends.find(last) != std::u32string_view::npos ? word_end::clause
                                                               : word_end::nothing;
}

/// Whether a character may follow the end of a sentence.
bool closes_quotation(char32_t point) {
    return std::u32string_view{U"\"'”’»)」"}.find(point) != std::u32string_view::npos;
}

using std::chrono::milliseconds;
using words_view = std::span<const subtitle_word>;

constexpr milliseconds shown_without_length{1000};
/// Just below 100 hours, because players expect two digits.
constexpr double milliseconds_max = 100.0 * 3600.0 * 1000.0 - 1.0;
/// Below two full lines, because words rarely fill them.
constexpr int usual_cue_width = 2 * subtitle_line_width - 4;

struct timed_words {
    milliseconds begin;
    milliseconds end;
    std::vector<subtitle_word> words;
    /// When each of the words begins, ascending; empty if that is not known.
    std::vector<milliseconds> begins = {};
};

milliseconds moment_of(double seconds) {
    const double exact = seconds * 1000.0;
    if (!(exact > 0.0)) return milliseconds{0};
    return milliseconds{std::llround(std::min(exact, milliseconds_max))};
}

/// Columns that `word` adds to a line of `line` columns.
int width_behind(int line, const subtitle_word& word) {
    const int gap = line > 0 && word.follows_blank ? 1 : 0;
    return gap + word.width;
}

int width_of(words_view words) {
    int width = 0;
    for (const auto& word : words) width += width_behind(width, word);
    return width;
}

/// Number of `words` that fit two lines: at least one, because no word is wider than a line.
std::size_t fitting_two_lines(words_view words) {
    int lines = 1;
    int width = 0;
    for (std::size_t count = 0; count < words.size(); ++count) {
        const int more = width_behind(width, words[count]);
        if (width + more <= subtitle_line_width) {
            width += more;
        } else if (lines == 2) {
            return count;
        } else {
            lines = 2;
            width = words[count].width;
        }
    }
    return words.size();
}

/// Number of `words`, which are `width` wide, in the next cue: about an equal share of the rest, so
/// that the last cue is not a single word. Prefers ends of sentences and clauses.
std::size_t words_of_next_cue(words_view words, int width) {
    const auto fitting = fitting_two_lines(words);
    if (fitting == words.size()) return fitting;
    const int cues = std::max(2, (width + usual_cue_width - 1) / usual_cue_width);
    const int share = width / cues;
    std::size_t best = 1;
    int least_cost = std::numeric_limits<int>::max();
    int taken = 0;
    for (std::size_t count = 1; count <= fitting; ++count) {
        const auto& last = words[count - 1];
        taken += width_behind(taken, last);
        int cost = std::abs(taken - share);
        if (last.ends == word_end::nothing) cost += share / 3;
        if (last.ends == word_end::clause) cost += share / 6;
        if (cost > least_cost) continue;
        least_cost = cost;
        best = count;
    }
    return best;
}

/// Number of `words` in the first line: all, or so many that two lines have a similar width.
std::size_t words_of_first_line(words_view words) {
    if (width_of(words) <= subtitle_line_width) return words.size();
    std::size_t best = 1;
    int least_difference = std::numeric_limits<int>::max();
    for (std::size_t count = 1; count < words.size(); ++count) {
        const int first = width_of(words.first(count));
        const int second = width_of(words.subspan(count));
        if (std::max(first, second) > subtitle_line_width) continue;
        if (std::abs(first - second) >= least_difference) continue;
        least_difference = std::abs(first - second);
        best = count;
    }
    return best;
}

/// Letters and digits of a text in lower case, as far as that is ASCII.
std::string letters_of(std::string_view text) {
    std::string letters;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || is_alphanumeric(c)) letters.push_back(ascii_lower(c));
    }
    return letters;
}

/// Finds when each of `words` begins. Servers write words with or without punctuation, and may join
/// or split them, so letters are compared: a word begins with the spoken word that has its first
/// letter. Empty if the letters differ.
std::vector<milliseconds> begins_of(words_view words, const std::vector<spoken_word>& spoken) {
    std::vector<milliseconds> begins;
    std::size_t next = 0;  // The spoken word that has the next letter.
    std::string left;      // Its letters that are not used yet.
    auto begin = milliseconds{0};
    const auto advance = [&] {
        while (left.empty() && next < spoken.size()) {
            left = letters_of(spoken[next].text);
            begin = std::max(begin, moment_of(spoken[next].start_seconds));
            ++next;
        }
    };
    for (const auto& word : words) {
        auto letters = letters_of(word.text);
        if (!letters.empty()) advance();
        begins.push_back(begin);
        while (!letters.empty()) {
            advance();
            const auto common = std::min(letters.size(), left.size());
            if (common == 0 || letters.compare(0, common, left, 0, common) != 0) return {};
            letters.erase(0, common);
            left.erase(0, common);
        }
    }
    advance();
    if (!left.empty()) return {};
    return begins;
}

subtitle_cue cue_of(
    const timed_words& speech, std::size_t first, std::size_t count, milliseconds begin,
    milliseconds end) {
    const auto words = words_view{speech.words}.subspan(first, count);
    const auto above = words_of_first_line(words);
    subtitle_cue cue{.begin = begin, .end = end, .lines = {std::string{}}};
    for (std::size_t at = 0; at < count; ++at) {
        if (at == above) cue.lines.emplace_back();
        auto& line = cue.lines.back();
        if (!line.empty() && words[at].follows_blank) line.push_back(' ');
        if (at > 0 && !speech.begins.empty()) {
            const auto moment = speech.begins[first + at];
            const auto last = cue.parts.empty() ? begin : cue.parts.back().begin;
            if (moment > last && moment < end)
                cue.parts.push_back({cue.lines.size() - 1, line.size(), moment});
        }
        line.append(words[at].text);
    }
    return cue;
}

void append_cues(std::vector<subtitle_cue>& cues, const timed_words& speech) {
    const auto size = speech.words.size();
    const int whole = width_of(speech.words);
    int shown = 0;
    auto begin = speech.begin;
    for (std::size_t first = 0; first < size;) {
        const auto rest = words_view{speech.words}.subspan(first);
        const auto count = words_of_next_cue(rest, whole - shown);
        shown = std::min(whole, shown + width_of(rest.first(count)) + 1);
        const auto next = first + count;
        auto end = speech.end;
        if (next < size) {
            // The next word's own time, or a proportional share.
            end = speech.begins.empty()
                      ? speech.begin + (speech.end - speech.begin) * shown / std::max(whole, 1)
                      : speech.begins[next];
        }
        end = std::max(end, begin + milliseconds{1});
        cues.push_back(cue_of(speech, first, count, begin, end));
        begin = end;
        first = next;
    }
}

/// Extends cues without length up to the next one. `all` is ordered by beginning.
void extend_empty(std::vector<timed_words>& all) {
    for (auto at = all.begin(); at != all.end(); ++at) {
        if (at->end > at->begin) continue;
        at->end = at->begin + shown_without_length;
        const auto next = std::upper_bound(
            at, all.end(), at->begin, [](milliseconds moment, const timed_words& other) {
                return moment < other.begin;
            });
        if (next != all.end()) at->end = std::min(at->end, next->begin);
    }
}

constexpr std::size_t file_name_max = 64;

struct subtitle_format {
    std::string_view suffix;
    std::string_view content_type;
    std::string (*write)(const std::vector<subtitle_cue>&);
};

constexpr subtitle_format subrip{"srt", "application/x-subrip; charset=utf-8", &subrip_text};
constexpr subtitle_format webvtt{"vtt", "text/vtt; charset=utf-8", &webvtt_text};

/// GET /api/v1/reels/{id}/subtitles.srt, .vtt: the speech of one of the caller's reels, for players
/// and editors, and for browsers. 200 a file, without cues if there is no speech; 404 also when the
/// reel is not done.
template <const subtitle_format& format>
awaitable<http::response> get_subtitles(http::request_context& ctx, jobs::job_store& jobs) {
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

std::vector<subtitle_word> subtitle_words(std::string_view text, int width_max) {
    std::vector<subtitle_word> words;
    bool begins_word = true;
    bool follows_blank = true;
    while (!text.empty()) {
        const auto next = code_point_at(text, 0);
        const auto character = text.substr(0, next.bytes);
        const auto point = next.value;
        text.remove_prefix(next.bytes);
        if (is_blank(point)) {
            begins_word = follows_blank = true;
            continue;
        }
        // At least 1, so that the number of words in a line is bounded.
        const int width = begins_word ? std::max(column_width(point), 1) : column_width(point);
        if (begins_word || words.back().width + width > width_max) {
            words.push_back(
                {.text = {character.data(), 0}, .width = 0, .follows_blank = follows_blank});
        }
        auto& word = words.back();
        word.text = {word.text.data(), word.text.size() + character.size()};
        word.width += width;
        if (!closes_quotation(point)) word.ends = end_of(point);
        begins_word = follows_blank = false;
    }
    return words;
}

std::vector<subtitle_cue> subtitle_cues(const std::vector<spoken_text>& spoken) {
    std::vector<timed_words> all;
    for (const auto& segment : spoken) {
        auto words = subtitle_words(segment.text, subtitle_line_width);
        if (words.empty()) continue;
        auto begins = begins_of(words, segment.words);
        all.push_back(
            {.begin = moment_of(segment.start_seconds),
             .end = moment_of(segment.end_seconds),
             .words = std::move(words),
             .begins = std::move(begins)});
    }
    const auto begins_before = [](const auto& left, const auto& right) {
        return left.begin < right.begin;
    };
    std::stable_sort(all.begin(), all.end(), begins_before);
    extend_empty(all);
    std::vector<subtitle_cue> cues;
    for (const auto& speech : all) append_cues(cues, speech);
    std::stable_sort(cues.begin(), cues.end(), begins_before);
    return cues;
}

void add_subtitle_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs) {
    router.add(
        {{http::verb::get, "/reels/{id}/subtitles.srt", &get_subtitles<subrip>},
         {http::verb::get, "/reels/{id}/subtitles.vtt", &get_subtitles<webvtt>}},
        jobs,
        prefix);
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
