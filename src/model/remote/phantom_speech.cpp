#include "phantom_speech.hpp"

#include "../answer/repetition.hpp"
#include "../words.hpp"
#include <reelsd/base/utf8.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace reelsd::model {
namespace {

using media::voice_evidence;

// Whisper's own rules. Source: openai/whisper, transcribe.py.
constexpr double silent_probability = 0.6;
constexpr double failed_log_probability = -1;
constexpr double failed_compression = 2.4;
/// For a known phrase that was really spoken, servers report less than 0.02.
constexpr double phrase_probability = 0.06;
constexpr std::size_t credit_characters_max = 60;
constexpr std::size_t repeats_suspect = 3;
/// People speak 4 (Chinese) to 15 letters a second; an invented phrase often lasts half a minute.
constexpr double letters_per_second_min = 2;
constexpr double sparse_seconds_min = 3;
/// Times of servers are exact to about this. Passages longer than slack_passage_seconds_max overlap
/// their voice in spite of that, and get no slack.
constexpr double time_slack = 0.3;
constexpr double slack_passage_seconds_max = 0.8;
/// A span of voice may begin and end this much before and after the voice (margin_frames).
constexpr double span_margin = 0.2;
/// A voice must be heard for this long, and in this share of a passage.
constexpr double voiced_seconds_min = 0.2;
constexpr double voiced_share_min = 0.15;

std::u32string folded(std::string_view text) {
    return folded_text{text}.letters();
}

std::vector<std::u32string> folded_entries(std::string_view list) {
    std::vector<std::u32string> all;
    for (const auto entry : entries_of(list)) all.push_back(folded(entry));
    return all;
}

bool is_known_phrase(const std::u32string& letters) {
    static const auto known = [] {
        const auto entries = folded_entries(word_lists::phantom_phrases);
        return std::set<std::u32string>{entries.begin(), entries.end()};
    }();
    return known.contains(letters);
}

/// Sentences, including those of scripts without a space after a full stop.
std::vector<std::u32string> folded_sentences(std::string_view text) {
    std::string lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto point = code_point_at(text, at);
        const bool ends = point.value == U'。' || point.value == U'！' || point.value == U'？' ||
                          point.value == U'♪' || point.value == U'…';
        if (ends) {
            lines += '\n';
        } else {
            lines.append(text.substr(at, point.bytes));
        }
        at += point.bytes;
    }
    std::vector<std::u32string> sentences;
    for (const auto& sentence : sentences_of(lines)) sentences.push_back(folded(sentence));
    return sentences;
}

class passage_filter {
public:
    passage_filter(
        const std::vector<heard_segment>& segments, std::span<const media::voice_span> voice)
        : voice_{voice} {
        for (const auto& segment : segments) {
            ++counts_[folded(segment.spoken.text)];
            const auto& text = segment.spoken.text;
            has_other_text_ =
                has_other_text_ || !(is_phantom_phrase(text) || is_subtitle_credit(text) ||
                                     is_unlikely(segment) || has_failed(segment));
        }
        has_certain_voice_ = std::ranges::any_of(voice, [](const media::voice_span& span) {
            return span.evidence != voice_evidence::possible;
        });
    }

    enum class action : std::uint8_t { keep, keep_with_warning, drop };

    [[nodiscard]] action action_for(const heard_segment& segment) const {
        const auto evidence = evidence_at(segment.spoken);
        if (is_subtitle_credit(segment.spoken.text)) return action::drop;
        if (!evidence) return without_voice(segment);
        switch (*evidence) {
            case voice_evidence::possible: return in_music(segment);
            case voice_evidence::alone: return in_voice(segment);
            case voice_evidence::recognized:
                return has_failed(segment) || is_silent(segment) ? action::keep_with_warning
                                                                 : action::keep;
        }
        return action::drop;
    }

private:
    /// The best evidence of a voice during the passage.
    [[nodiscard]] std::optional<voice_evidence> evidence_at(const timed_text& spoken) const {
        const auto length = spoken.end_seconds - spoken.start_seconds;
        const auto slack = length > slack_passage_seconds_max ? -span_margin : time_slack;
        const auto from = spoken.start_seconds - slack;
        const auto to = spoken.end_seconds + slack;
        const auto needed = std::max(voiced_seconds_min, voiced_share_min * length);
        double voiced = 0;
        std::optional<voice_evidence> best;
        for (const auto& span : voice_) {
            const auto common = std::min(to, span.end_seconds) - std::max(from, span.start_seconds);
            if (common <= 0) continue;
            voiced += common;
            if (!best || span.evidence > *best) best = span.evidence;
        }
        return voiced >= needed ? best : std::nullopt;
    }

    [[nodiscard]] action without_voice(const heard_segment& segment) const {
        // Times of some servers are off by seconds, and the detector does not detect whispers.
        if (!has_certain_voice_ || is_suspect(segment)) return action::drop;
        return action::keep_with_warning;
    }

    /// Music counts as a voice, and lyrics are not speech.
    [[nodiscard]] action in_music(const heard_segment& segment) const {
        if (is_phantom_phrase(segment.spoken.text))
            return is_corroborated(segment) && has_certain_voice_ ? action::keep_with_warning
                                                                  : action::drop;
        if (is_suspect(segment)) return action::drop;
        return has_certain_voice_ ? action::keep : action::keep_with_warning;
    }

    [[nodiscard]] action in_voice(const heard_segment& segment) const {
        if (is_silent(segment)) return action::drop;
        if (is_phantom_phrase(segment.spoken.text))
            return is_corroborated(segment) ? action::keep : action::drop;
        if (is_repeated(segment) && has_failed(segment)) return action::drop;
        return is_unlikely(segment) || has_failed(segment) ? action::keep_with_warning
                                                           : action::keep;
    }

    /// Whether a known phrase may have been spoken: there is other text, and the server reports
    /// confidence in it.
    [[nodiscard]] bool is_corroborated(const heard_segment& segment) const {
        return has_other_text_ && segment.no_speech_probability.value_or(0) < phrase_probability;
    }

    [[nodiscard]] bool is_suspect(const heard_segment& segment) const {
        return is_phantom_phrase(segment.spoken.text) || is_repeated(segment) ||
               has_failed(segment) || is_unlikely(segment) || is_sparse(segment);
    }
    [[nodiscard]] bool is_repeated(const heard_segment& segment) const {
        return counts_.at(folded(segment.spoken.text)) >= repeats_suspect;
    }
    [[nodiscard]] static bool has_failed(const heard_segment& segment) {
        return segment.compression_ratio.value_or(0) > failed_compression;
    }
    [[nodiscard]] static bool is_unlikely(const heard_segment& segment) {
        return segment.no_speech_probability.value_or(0) > silent_probability ||
               segment.mean_log_probability.value_or(0) < failed_log_probability;
    }
    [[nodiscard]] static bool is_silent(const heard_segment& segment) {
        return segment.no_speech_probability.value_or(0) > silent_probability &&
               segment.mean_log_probability.value_or(0) < failed_log_probability;
    }
    [[nodiscard]] static bool is_sparse(const heard_segment& segment) {
        const auto seconds = segment.spoken.end_seconds - segment.spoken.start_seconds;
        return seconds >= sparse_seconds_min &&
               static_cast<double>(folded(segment.spoken.text).size()) <
                   letters_per_second_min * seconds;
    }

    std::span<const media::voice_span> voice_;
    std::map<std::u32string, std::size_t> counts_;
    bool has_other_text_ = false;
    bool has_certain_voice_ = false;
};

}  // namespace

bool is_phantom_phrase(std::string_view text) {
    if (is_known_phrase(folded(text))) return true;
    const auto sentences = folded_sentences(text);
    return !sentences.empty() && std::ranges::all_of(sentences, &is_known_phrase);
}

bool is_subtitle_credit(std::string_view text) {
    static const auto credits = folded_entries(word_lists::subtitle_credits);
    if (code_point_count(text) > credit_characters_max) return false;
    const auto letters = folded(text);
    return std::ranges::any_of(credits, [&letters](const std::u32string& credit) {
        return letters.find(credit) != std::u32string::npos;
    });
}

bool is_sound_mark(std::string_view text) {
    std::string outside;
    int depth = 0;
    bool in_stars = false;
    for (const char byte : text) {
        if (byte == '[' || byte == '(') ++depth;
        if (byte == '*') in_stars = !in_stars;
        if (depth == 0 && !in_stars) outside += byte;
        if ((byte == ']' || byte == ')') && depth > 0) --depth;
    }
    // A passage may be half of a sentence in brackets.
    const bool is_open = depth > 0 || in_stars;
    return words_of(is_open ? text : outside).empty();
}

checked_speech without_phantoms(
    std::vector<heard_segment> segments, std::span<const media::voice_span> voice) {
    std::erase_if(
        segments, [](const heard_segment& segment) { return is_sound_mark(segment.spoken.text); });
    const auto before = segments.size();
    const passage_filter filter{segments, voice};
    checked_speech checked;
    for (auto& segment : segments) {
        const auto action = filter.action_for(segment);
        if (action == passage_filter::action::drop) continue;
        if (action == passage_filter::action::keep_with_warning) ++checked.doubtful;
        checked.segments.push_back(std::move(segment));
    }
    cut_entry_loops(checked.segments, [](const heard_segment& segment) -> std::string_view {
        return segment.spoken.text;
    });
    checked.dropped = before - checked.segments.size();
    return checked;
}

}  // namespace reelsd::model
