#include "speech_reply.hpp"

#include "../answer/repetition.hpp"
#include "../clean_text.hpp"
#include "../json_members.hpp"
#include "../languages.hpp"
#include "../word_sharing.hpp"
#include "../words.hpp"
#include "openai_api.hpp"
#include "phantom_speech.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/model/result_document.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace reelsd::model {
namespace {

using namespace result_bounds;

/// Bounds on what is read: ten times what a result may contain.
constexpr std::size_t segments_read_max = 5'000;
constexpr std::size_t words_read_max = 50'000;
constexpr std::size_t word_characters_max = 100;
/// A whole number above is nanoseconds: no video lasts eleven days.
constexpr double seconds_max = 1'000'000;
/// A pause that ends a passage, and the longest passage, if the server gives only words.
constexpr double passage_pause_seconds = 0.7;
constexpr double passage_seconds_max = 12;
/// Servers round up, and some have a minimum of 10 s.
constexpr double billed_seconds_slack = 60;

/// Numbers may be texts.
std::optional<double> number_in(const json& object, const char* name) {
    const auto& value = member(object, name);
    std::optional<double> number;
    if (value.is_number()) number = value.get<double>();
    if (value.is_string())
        number = parse_number<double>(trimmed(value.get_ref<const std::string&>()));
    if (number && !std::isfinite(*number)) return std::nullopt;
    return number;
}

std::string one_line(std::string_view text, std::size_t characters_max) {
    bool is_cut = false;
    return clean_line(clean_without_loops(text, characters_max, is_cut), characters_max);
}

/// Reads times of one document, in the unit that it uses.
class time_reader {
public:
    time_reader(const json& document, double duration) : duration_{duration} {
        note_unit(list_in(document, "segments"));
        note_unit(list_in(document, "words"));
    }

    /// False for a passage without length.
    bool read(const json& entry, timed_text& target, bool may_be_empty) const {
        const auto start = number_in(entry, "start");
        const auto end = number_in(entry, "end");
        if (!start || !end) return false;
        target.start_seconds = std::clamp(*start * unit_, 0.0, duration_);
        target.end_seconds = std::clamp(*end * unit_, 0.0, duration_);
        return target.end_seconds > target.start_seconds ||
               (may_be_empty && target.end_seconds == target.start_seconds);
    }

private:
    void note_unit(const json& entries) {
        for (const auto& entry : entries) {
            const auto& end = member(entry, "end");
            if (end.is_number_integer() && end.get<double>() > seconds_max) unit_ = 1e-9;
        }
    }

    double duration_;
    double unit_ = 1;
};

bool begins_with_blank(std::string_view text) {
    return !text.empty() && ascii_whitespace.find(text.front()) != std::string_view::npos;
}

/// Words, which some servers split into pieces: then those that begin a word follow a blank.
std::vector<timed_text> read_words(const json& entries, const time_reader& times) {
    const auto text_of_word = [](const json& entry) {
        auto text = text_in(entry, "word");
        return text.empty() ? text_in(entry, "text") : text;
    };
    const bool has_pieces = entries.size() > 1 &&
                            std::any_of(entries.begin() + 1, entries.end(), [&](const json& entry) {
                                return begins_with_blank(text_of_word(entry));
                            });
    std::vector<timed_text> words;
    for (const auto& entry : entries) {
        if (words.size() == words_read_max) break;
        const auto raw = text_of_word(entry);
        timed_text word;
        // "[_BEG_]" and its kin are marks of the model.
        if (raw.starts_with("[_") || !times.read(entry, word, true)) continue;
        word.text = one_line(raw, word_characters_max);
        if (word.text.empty()) continue;
        if (has_pieces && !words.empty() && !begins_with_blank(raw)) {
            words.back().text += word.text;
            words.back().end_seconds = std::max(words.back().end_seconds, word.end_seconds);
        } else {
            words.push_back(std::move(word));
        }
    }
    std::ranges::stable_sort(words, {}, &timed_text::start_seconds);
    return words;
}

/// Counts passages without usable times in `untimed`.
std::vector<heard_segment> read_segments(
    const json& entries, const time_reader& times, std::size_t& untimed) {
    std::vector<heard_segment> segments;
    for (const auto& entry : entries) {
        if (segments.size() == segments_read_max) break;
        heard_segment segment;
        segment.spoken.text = one_line(text_in(entry, "text"), transcript_characters_max);
        if (segment.spoken.text.empty()) continue;
        if (!times.read(entry, segment.spoken, false)) {
            if (!is_sound_mark(segment.spoken.text)) ++untimed;
            continue;
        }
        segment.words = read_words(list_in(entry, "words"), times);
        segment.no_speech_probability = number_in(entry, "no_speech_prob");
        segment.mean_log_probability = number_in(entry, "avg_logprob");
        segment.compression_ratio = number_in(entry, "compression_ratio");
        segments.push_back(std::move(segment));
    }
    std::ranges::stable_sort(
        segments, {}, [](const heard_segment& segment) { return segment.spoken.start_seconds; });
    return segments;
}

void add_words(std::vector<heard_segment>& segments, const std::vector<timed_text>& words) {
    std::vector<timed_text> passages;
    passages.reserve(segments.size());
    for (const auto& segment : segments) passages.push_back(segment.spoken);
    auto shared = share_words(passages, words);
    for (std::size_t at = 0; at < segments.size(); ++at) segments[at].words = std::move(shared[at]);
}

/// Some servers cut characters in two, so that words have halves of them though the text is whole.
void drop_broken_words(heard_segment& segment) {
    constexpr std::string_view replacement = "\uFFFD";
    if (contains(segment.spoken.text, replacement)) return;
    const bool are_broken = std::ranges::any_of(
        segment.words, [&](const timed_text& word) { return contains(word.text, replacement); });
    if (are_broken) segment.words.clear();
}

void keep_words_within(heard_segment& segment) {
    const auto& [text, start, end] = segment.spoken;
    for (auto& word : segment.words) {
        word.start_seconds = std::clamp(word.start_seconds, start, end);
        word.end_seconds = std::clamp(word.end_seconds, word.start_seconds, end);
    }
}

/// Passages from words alone. `blank` is between two words.
std::vector<heard_segment> segments_of(const std::vector<timed_text>& words, const char* blank) {
    std::vector<heard_segment> segments;
    for (const auto& word : words) {
        const bool continues =
            !segments.empty() && !ends_with_sentence_mark(segments.back().words.back().text) &&
            word.start_seconds - segments.back().spoken.end_seconds <= passage_pause_seconds &&
            word.end_seconds - segments.back().spoken.start_seconds <= passage_seconds_max;
        if (!continues) {
            segments.push_back({.spoken = word, .words = {word}});
            continue;
        }
        auto& segment = segments.back();
        segment.spoken.text.append(blank).append(word.text);
        segment.spoken.end_seconds = std::max(segment.spoken.end_seconds, word.end_seconds);
        segment.words.push_back(word);
    }
    std::erase_if(segments, [](const heard_segment& segment) {
        return segment.spoken.end_seconds <= segment.spoken.start_seconds;
    });
    return segments;
}

std::optional<std::string> language_in(const json& document) {
    const auto& several = list_in(document, "languages");
    const auto name =
        several.size() == 1 ? text_in(several.front(), "code") : text_in(document, "language");
    return language_code_from(name);
}

std::optional<token_counts> tokens_in(const json& usage) {
    token_counts used;
    used.prompt = count_in(usage, "input_tokens");
    if (used.prompt == 0) return std::nullopt;
    used.output = count_in(usage, "output_tokens");
    const auto audio = count_in(member(usage, "input_token_details"), "audio_tokens");
    if (audio > 0)
        used.by_modality.push_back(
            {.kind = modality::audio, .prompt = std::min(audio, used.prompt)});
    return used;
}

/// What the server bills, unless it is out of all proportion.
std::int64_t billed_milliseconds(const json& usage, std::int64_t sound_milliseconds) {
    const auto seconds = number_in(usage, "seconds");
    const auto most = static_cast<double>(sound_milliseconds) / 1000 + billed_seconds_slack;
    if (!seconds || *seconds < 0 || *seconds > most) return sound_milliseconds;
    return std::llround(*seconds * 1000);
}

bool says(const net::http_response& response, std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(
        any, [&](std::string_view text) { return contains(response.body, text); });
}

}  // namespace

heard_speech read_speech(const json& document, double duration_seconds) {
    const time_reader times{document, duration_seconds};
    heard_speech heard{
        .text = one_line(text_in(document, "text"), transcript_characters_max),
        .language = language_in(document),
        .duration_seconds = number_in(document, "duration")};
    const auto words = read_words(list_in(document, "words"), times);
    heard.segments = read_segments(list_in(document, "segments"), times, heard.untimed);
    if (heard.segments.empty()) {
        heard.segments = segments_of(words, contains(heard.text, " ") ? " " : "");
        // Then nothing is left out.
        if (!heard.segments.empty() || !heard.text.empty()) heard.untimed = 0;
    } else if (std::ranges::all_of(
                   heard.segments, [](const auto& segment) { return segment.words.empty(); })) {
        add_words(heard.segments, words);
    }
    for (auto& segment : heard.segments) {
        drop_broken_words(segment);
        keep_words_within(segment);
    }
    return heard;
}

model_reply speech_reply(
    const net::http_response& response, std::int64_t sound_milliseconds,
    std::chrono::system_clock::time_point now) {
    const auto document = parse_foreign_json(response.body);
    auto failure = openai_failure_within(document, response.head.headers, now);
    const bool has_form =
        member(document, "text").is_string() || member(document, "segments").is_array();
    // A transcript with content is billed, even if it also has an error. Without speech it has no
    // content, but then an error is empty.
    const bool has_content =
        !trimmed(text_in(document, "text")).empty() || !list_in(document, "segments").empty();
    const auto& fault = member(document, "error");
    const bool is_blank_fault = fault == "" || fault == json::object();
    if (failure && !has_content && !(has_form && is_blank_fault)) return *std::move(failure);
    if (!has_form) {
        return call_failure{
            .kind = failure_kind::transient,
            .detail = std::string{not_a_transcript},
            .may_be_billed = true};
    }
    const auto& usage = member(document, "usage");
    const auto request_id = response.head.headers.find("x-request-id");
    return reply{
        .end = reply_end::complete,
        .text = document.dump(-1, ' ', true, json::error_handler_t::replace),
        .used = tokens_in(usage),
        .response_id = excerpt(request_id.value_or("")),
        .detail = failure ? failure->detail : "",
        .audio_milliseconds = billed_milliseconds(usage, sound_milliseconds)};
}

call_failure speech_failure(
    const net::http_response& response, std::chrono::system_clock::time_point now) {
    constexpr int bad_request = 400;
    constexpr int unsupported_media_type = 415;
    constexpr int unprocessable = 422;
    auto why = openai_failure(response, now);
    const auto status = response.status();
    if (status == unsupported_media_type) why.kind = failure_kind::video_rejected;
    if (status != bad_request && status != unprocessable) return why;
    why.kind = failure_kind::video_rejected;
    if (says(response, {"no_language_probabilities", "without_timestamps"}))
        why.kind = failure_kind::thinking_refused;
    else if (says(response, {"API key", "api_key"}))
        why.kind = failure_kind::misconfigured;
    else if (says(
                 response, {"response_format", "verbose_json", "timestamp_granularities", "model"}))
        why.kind = failure_kind::schema_refused;
    return why;
}

}  // namespace reelsd::model
