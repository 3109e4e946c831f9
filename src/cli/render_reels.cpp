#include "page.hpp"
#include "render.hpp"
#include "table.hpp"
#include "text.hpp"
#include <reelsd/base/json.hpp>

#include <fmt/format.h>

namespace reelsd::cli {
namespace {

constexpr const char* no_value = "?";

std::string id_text(const json& reel) {
    const auto id = integer_of(reel, "id");
    return id ? fmt::format("{}", *id) : no_value;
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

/// What there is to say about a reel in one line: what is in it, why it failed, or its link.
table_cell gist(const json& reel, const render_options& options) {
    if (const auto why = text_of(reel, "error")) return {*why, style::trouble};
    if (const auto summary = text_or(reel, "summary", ""); !summary.empty()) return {summary};
    auto link = text_or(reel, "url", no_value);
    // Where there is little room, what all links have in common goes.
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

}  // namespace

std::string render_reels(const json& reels, const render_options& options) {
    // The longest status is "processing"; an author's name has at most 30 characters.
    table lines{
        {{.heading = "ID", .align = alignment::right},
         {.heading = "STATUS"},
         {.heading = "CREATED (UTC)", .leaves = 2},
         {.heading = "AUTHOR", .leaves = 1, .cells_max = 14},
         {.heading = "SUMMARY", .stretches = true}}};
    for (const auto& reel : reels) {
        const auto status = text_or(reel, "status", no_value);
        auto about = gist(reel, options);
        about.text.insert(0, earlier_mark(reel));
        lines.add(
            {{id_text(reel)},
             {status, style_of_status(status)},
             {minute_text(text_or(reel, "created_at", no_value))},
             {author_of(reel)},
             std::move(about)});
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

}  // namespace reelsd::cli
