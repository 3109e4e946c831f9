// Random and mutated answers of the API as the client prints them, against control sequences for
// the terminal. They come from tests/fuzz/terminal_corpus.
//
//   terminal_fuzz [ANSWERS [SEED]]      100 answers for each page and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when the output contains control sequences, or
// when a sanitizer finds an error. The same seed gives the same answers.
#include "cli/api_client.hpp"
#include "cli/protocol.hpp"
#include "cli/render.hpp"
#include "cli/text.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <algorithm>
#include <array>

namespace reelsd::fuzz {
namespace {

using namespace cli;

/// U+202A to U+202E and U+2066 to U+2069 change the reading direction.
constexpr auto overrides = std::to_array<std::string_view>(
    {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"});

bool is_obeyed(char c) {
    return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f';
}

/// A forbidden character in the text; empty for none.
std::string broken_text(std::string_view text) {
    if (std::any_of(text.begin(), text.end(), is_obeyed)) return "a control character";
    for (const auto sign : overrides) {
        if (text.find(sign) != std::string_view::npos) return "text that is read backwards";
    }
    // The 8-bit controls, U+0080 to U+009F.
    for (auto at = text.find('\xc2'); at < text.size(); at = text.find('\xc2', at + 1)) {
        const auto next = text.substr(at + 1, 1);
        if (!next.empty() && static_cast<unsigned char>(next.front()) < 0xa0)
            return "an 8-bit control";
    }
    try {
        static_cast<void>(json(text).dump());  // Throws for invalid UTF-8.
        return "";
    } catch (const json::exception&) {
        return "no UTF-8";
    }
}

/// Prints JSON of this type, for a terminal and for another program.
template <class Draw>
std::function<reading(std::string_view)> page_of(json::value_t kind, Draw draw) {
    return [kind, draw](std::string_view body) -> reading {
        const auto document = parse_foreign_json(body);
        if (document.type() != kind) return {};
        for (const std::optional<std::size_t> columns : {std::optional<std::size_t>{60}, {}}) {
            const auto page = draw(document, {.columns = 60, .table_columns = columns});
            if (auto why = broken_text(page); !why.empty()) return {.violation = std::move(why)};
        }
        return {.accepted = true};
    };
}

reading read_failure(std::string_view body) {
    for (const int status : {302, 400, 401, 429, 500}) {
        const auto why = failure_of(status, body);
        auto fault = broken_text(why.detail());
        if (why.detail().find('\n') != std::string::npos) fault = "a message of several lines";
        if (!fault.empty()) return {.violation = std::move(fault)};
    }
    return {.accepted = true};
}

/// The same document without control characters.
reading read_json(std::string_view body) {
    const auto document = parse_foreign_json(body);
    if (document.is_discarded()) return {};
    const auto safe = safe_json(body);
    const bool is_same = parse_foreign_json(safe) == document;
    const bool is_harmless = safe.find('\x7f') == std::string::npos;
    return {.violation = is_same && is_harmless ? "" : "another document", .accepted = true};
}

reading read_text(std::string_view text) {
    const auto shown = printable(text, line_breaks::keep);
    auto fault = broken_text(shown);
    if (fault.empty() && printable(shown, line_breaks::keep) != shown) fault = "another text";
    for (const std::size_t columns : {std::size_t{1}, std::size_t{40}}) {
        if (wrapped(shown, columns).empty()) fault = "no line";
    }
    return {.violation = std::move(fault), .accepted = true};
}

struct events_read {
    std::vector<server_event> events;
    std::string last_event_id;
    bool is_refused = false;
};

/// Upper bound.
constexpr std::size_t event_bytes_max = 500;

events_read events_in(std::string_view stream, std::size_t bytes_at_once) {
    event_reader reader{event_bytes_max};
    events_read all;
    for (; !stream.empty() && !all.is_refused;
         stream.remove_prefix(std::min(bytes_at_once, stream.size()))) {
        const auto events = reader.take(stream.substr(0, bytes_at_once));
        all.is_refused = !events;
        if (events) all.events.insert(all.events.end(), events->begin(), events->end());
    }
    all.last_event_id = reader.last_event_id();
    return all;
}

/// The events do not depend on how the stream is split, none is too long, and their output is
/// harmless.
reading read_events(std::string_view stream) {
    const auto all = events_in(stream, 1);
    for (const std::size_t at_once : {std::size_t{7}, std::size_t{64}}) {
        const auto others = events_in(stream, at_once);
        if (others.is_refused != all.is_refused) return {.violation = "read and refused"};
        if (!all.is_refused && others.events != all.events) return {.violation = "other events"};
        if (!all.is_refused && others.last_event_id != all.last_event_id)
            return {.violation = "another place"};
    }
    for (const auto& event : all.events) {
        const bool is_bounded = event.data.size() + event.name.size() <= 2 * event_bytes_max;
        if (!is_bounded || event.name.empty()) return {.violation = "an endless event"};
        const auto shown =
            progress_text({.id = 42, .status = event.name, .attempt = 2, .step = event.data});
        if (auto why = broken_text(shown); !why.empty()) return {.violation = std::move(why)};
        if (shown.find('\n') != std::string::npos)
            return {.violation = "progress of several lines"};
    }
    return {.accepted = !all.events.empty()};
}

std::vector<reader_check> terminal_checks() {
    const std::filesystem::path corpus{REELSD_SOURCE_DIR "/tests/fuzz/terminal_corpus"};
    const auto jobs = lines_of(corpus / "jobs.txt");
    const auto texts = lines_of(corpus / "texts.txt");
    const auto usage = [](const json& document, const render_options& options) {
        return render_usage(document, {.from = "2026-05-01", .to = std::nullopt}, options);
    };
    return {
        {"job",
         jobs,
         page_of(
             json::value_t::object,
             [](const json& job, const render_options& how) { return render_job(job, how); })},
        {"reels", lines_of(corpus / "reels.txt"), page_of(json::value_t::array, render_reels)},
        {"hits", lines_of(corpus / "hits.txt"), page_of(json::value_t::array, render_hits)},
        {"usage", lines_of(corpus / "usage.txt"), page_of(json::value_t::object, usage)},
        {"failure", lines_of(corpus / "failures.txt"), read_failure},
        {"events", files_of(corpus / "events"), read_events},
        {"json", jobs, read_json},
        {"text", texts, read_text},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t answers_usual = 100;
    return fuzz_readers(terminal_checks(), {}, run_from(count, values, answers_usual));
}
