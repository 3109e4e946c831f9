// Random and mutated stored results, whose text is mostly untrusted, converted to subtitles and to
// passages and quotes of the search. They come from tests/fuzz/result_corpus.
//
//   result_fuzz [RESULTS [SEED]]      300 results for each reader and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when a guarantee of the headers is violated, or
// when a sanitizer finds an error. The same seed gives the same results.
#include "api/subtitles.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/model/search_document.hpp>

#include <algorithm>
#include <cmath>

namespace reelsd::fuzz {
namespace {

constexpr std::size_t passages_max = 300;
constexpr std::size_t passage_characters_max = 240;

const model::embedder& dictionary() {
    static const auto opened =
        model::local_embedder::open(REELSD_BINARY_DIR "/share/reelsd/wordnet.bin").value();
    return *opened;
}

bool is_control(char c) {
    return (c >= 0 && c < ' ') || c == '\x7f';
}

std::string broken(const std::vector<api::subtitle_cue>& cues) {
    std::chrono::milliseconds before{0};
    for (const auto& cue : cues) {
        if (cue.begin < before || cue.end <= cue.begin) return "cues out of order";
        if (cue.lines.empty() || cue.lines.size() > 2) return "a cue of no or many lines";
        for (const auto& line : cue.lines) {
            if (line.empty() || std::any_of(line.begin(), line.end(), is_control))
                return "a line that is none";
        }
        before = cue.begin;
    }
    return "";
}

std::size_t count_of(std::string_view text, std::string_view sought) {
    std::size_t count = 0;
    for (auto at = text.find(sought); at != std::string_view::npos;
         at = text.find(sought, at + sought.size())) {
        ++count;
    }
    return count;
}

/// Subtitles of a result have one line of times for each cue.
reading read_subtitles(std::string_view document) {
    const auto transcript = api::transcript_of(document);
    if (!transcript) {
        const bool is_ours = transcript.error().code() == errc::internal;
        return {.violation = is_ours ? "" : "not our own fault"};
    }
    const auto cues = api::subtitle_cues(transcript->spoken);
    auto why = broken(cues);
    if (why.empty() && count_of(api::subrip_text(cues), "-->") != cues.size())
        why = "a text that is taken for times (SubRip)";
    const auto webvtt = api::webvtt_text(cues);
    if (why.empty() && count_of(webvtt, "-->") != cues.size())
        why = "a text that is taken for times (WebVTT)";
    if (why.empty() && webvtt.find_first_of("<") != std::string::npos) why = "markup";
    const auto attachment = api::attachment_named(transcript->code, job_id{7}, "srt");
    if (count_of(attachment, "\"") != 2 ||
        std::any_of(attachment.begin(), attachment.end(), is_control))
        why = "a name that ends the header";
    return {.violation = std::move(why), .accepted = !cues.empty()};
}

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

std::string broken(const model::search_document& found) {
    if (found.concepts.size() > model::reel_concepts_max) return "too many concepts";
    if (found.passages.size() > passages_max) return "too many passages";
    for (const auto& passage : found.passages) {
        if (passage.text.empty() || characters_in(passage.text) > passage_characters_max ||
            passage.text.find('\n') != std::string::npos)
            return "a passage that is no line";
        if (passage.seconds && !std::isfinite(*passage.seconds)) return "no time";
    }
    return "";
}

/// Passages are the same when they are stored and read again, to the stored digits.
std::vector<model::passage> copies_of(const std::vector<model::stored_passage>& stored) {
    std::vector<model::passage> passages;
    for (const auto& passage : stored) {
        passages.push_back(
            {.field = std::string{passage.field},
             .text = std::string{passage.text},
             .seconds = passage.seconds,
             .concepts = model::concepts_of(passage)});
    }
    return passages;
}

reading read_for_search(std::string_view document) {
    const auto found = model::search_document_of(document, dictionary());
    if (!found) {
        const bool is_ours = found.error().code() == errc::internal;
        return {.violation = is_ours ? "" : "not our own fault"};
    }
    auto why = broken(*found);
    const auto stored = model::passages_text(found->passages);
    const auto again = model::passages_from(stored);
    if (why.empty() && !again) why = "its own passages are refused: " + again.error().detail();
    if (why.empty() && model::passages_text(copies_of(*again)) != stored) why = "other passages";
    return {.violation = std::move(why), .accepted = !found->passages.empty()};
}

/// Passages as stored in the database.
reading read_passages(std::string_view text) {
    const auto found = model::passages_from(text);
    if (!found) {
        const bool is_ours = found.error().code() == errc::internal;
        return {.violation = is_ours ? "" : "not our own fault"};
    }
    const auto written = model::passages_text(copies_of(*found));
    const auto again = model::passages_from(written);
    const bool holds = again && again->size() == found->size();
    return {.violation = holds ? "" : "other passages", .accepted = !found->empty()};
}

std::vector<std::string> stored_passages(const std::vector<std::string>& results) {
    std::vector<std::string> stored;
    for (const auto& result : results) {
        const auto found = model::search_document_of(result, dictionary());
        if (found) stored.push_back(model::passages_text(found->passages));
    }
    return stored;
}

std::vector<reader_check> result_checks() {
    const auto results = files_of(REELSD_SOURCE_DIR "/tests/fuzz/result_corpus");
    return {
        {"subtitles", results, read_subtitles},
        {"search", results, read_for_search},
        {"passages", stored_passages(results), read_passages},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t results_usual = 300;
    return fuzz_readers(result_checks(), {}, run_from(count, values, results_usual));
}
