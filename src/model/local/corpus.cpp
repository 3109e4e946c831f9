#include "corpus.hpp"

#include "../clean_text.hpp"
#include "../words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace reelsd::model {

namespace {

// Lines of one caption appear in the same frame or fade in one after the other; measured start-time
// errors of the reader are 0.15 s in the median and 0.72 s at 90 %.
constexpr double same_block_seconds = 0.6;

constexpr std::size_t sentence_words_min = 3;  // Fewer make a label.
constexpr std::size_t summary_words_max = 30;  // One sentence that fits a list entry.
constexpr std::size_t stems_counted_max = 8;   // More stems make it longer, not richer.
constexpr double opening_seconds = 3.0;        // A later hook comes too late.
constexpr std::size_t opening_words_max = 20;

bool is_same_block(const timed_text& first, const timed_text& line) {
    return std::abs(first.start_seconds - line.start_seconds) <= same_block_seconds &&
           std::abs(first.end_seconds - line.end_seconds) <= same_block_seconds &&
           line.start_seconds < first.end_seconds && first.start_seconds < line.end_seconds;
}

/// How well sentences of a source are spelled and phrased. Captions are written with care.
/// On-screen texts are headings rather than sentences.
double trust_in(source from) {
    switch (from) {
        case source::screen: return 0.6;
        case source::speech: return 0.85;
        case source::caption: return 1.0;
    }
    return 0;
}

using stem_set = std::set<std::string>;

stem_set stems_in(const sentence& sentence) {
    const auto stems = content_stems_of(sentence.text);
    return {stems.begin(), stems.end()};
}

/// In how many other sentences its words recur, plus a little for each content word, which prefers
/// the fuller of two sentences about the same.
double centrality(const stem_set& stems, const std::map<std::string, int>& sentences_with) {
    double score = 0.25 * static_cast<double>(std::min(stems.size(), stems_counted_max));
    for (const auto& stem : stems) score += sentences_with.at(stem) - 1;
    return score;
}

/// Whether a sentence says something about the subject.
bool is_statement(const sentence& sentence) {
    return word_count(sentence.text) >= sentence_words_min && !is_call_to_action(sentence.text);
}

/// All sentences. Doubtful speech is left out if there is a statement in other text.
std::vector<sentence> quotable_sentences(const corpus& text) {
    auto sentences = text.sentences;
    if (!text.speech_doubtful) return sentences;
    const auto is_spoken = [](const sentence& sentence) { return sentence.from == source::speech; };
    const bool has_other = std::ranges::any_of(sentences, [&](const sentence& sentence) {
        return !is_spoken(sentence) && is_statement(sentence);
    });
    if (has_other) std::erase_if(sentences, is_spoken);
    return sentences;
}

void add_sentences(corpus& all, std::string_view text, source from, double start_seconds) {
    for (auto& sentence : sentences_of(text)) {
        all.sentences.push_back({std::move(sentence), from, start_seconds});
    }
}

constexpr std::size_t topics_max = 8;  // More would include side issues.
constexpr std::size_t topics_min = 3;  // Fewer are filled up with words that occur once.
constexpr std::size_t phrase_words_max = 3;
constexpr double hashtag_weight = 2.0;  // The author's own keywords.

// Hashtags that ask for reach and say nothing about the subject.
constexpr auto reach_tags = std::to_array<std::string_view>(
    {"explore", "explorepage",  "follow",     "followme",       "foryou",     "foryoupage",
     "fyp",     "instadaily",   "instagood",  "instagram",      "instareels", "love",
     "reel",    "reelitfeelit", "reels",      "reelsinstagram", "trending",   "video",
     "viral",   "viralreels",   "viralvideos"});

struct key_phrase {
    std::string text;  ///< As in its first occurrence.
    std::vector<std::string> stems;
    double score = 0;
    int count = 0;
    std::size_t order = 0;  ///< Position of its first occurrence.
};

/// Candidates by their stems, scored as in RAKE: frequent words of long phrases score higher.
class phrase_table {
public:
    /// Adds the runs of content words between stop words and punctuation.
    void add_sentence(std::string_view sentence) {
        std::vector<std::string> run;
        for (const auto& word : words_and_breaks_of(sentence)) {
            const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
            if (is_number || word.size() < 2 || is_stop_word(word)) {
                add(run, 1);
                run.clear();
            } else {
                run.push_back(word);
            }
        }
        add(run, 1);
    }

    void add(const std::vector<std::string>& words, double weight) {
        if (words.empty() || words.size() > phrase_words_max) return;
        key_phrase phrase{.text = {}, .stems = {}, .order = phrases_.size()};
        for (const auto& word : words) {
            phrase.text += (phrase.text.empty() ? "" : " ") + word;
            phrase.stems.push_back(stem_of(word));
            degree_[phrase.stems.back()] += weight * static_cast<double>(words.size());
        }
        auto& entry = phrases_.try_emplace(phrase.stems, phrase).first->second;
        entry.score += weight;
        ++entry.count;
    }

    /// All candidates, the best first.
    [[nodiscard]] std::vector<key_phrase> ranked() const {
        std::vector<key_phrase> all;
        for (const auto& [stems, entry] : phrases_) {
            double degrees = 0;
            for (const auto& stem : stems) degrees += degree_.at(stem);
            all.push_back(entry);
            all.back().score *= degrees;
        }
        std::sort(all.begin(), all.end(), [](const key_phrase& left, const key_phrase& right) {
            if (left.score != right.score) return left.score > right.score;
            return left.order < right.order;
        });
        return all;
    }

private:
    std::map<std::string, double> degree_;
    std::map<std::vector<std::string>, key_phrase> phrases_;
};

/// "coffee" adds nothing to "better coffee".
bool shares_words(const key_phrase& phrase, const std::vector<key_phrase>& others) {
    return std::ranges::any_of(others, [&phrase](const key_phrase& other) {
        return std::ranges::find_first_of(phrase.stems, other.stems) != phrase.stems.end();
    });
}

/// The text's words with a space before and after each, so that phrases are substrings.
std::string spaced_words(std::string_view text) {
    std::string spaced{' '};
    for (const auto& word : words_of(text)) spaced += word + ' ';
    return spaced;
}

/// Position of a phrase in spaced words; npos without it.
std::size_t find_phrase(const std::string& spaced, std::string_view phrase) {
    return spaced.find(' ' + std::string{phrase} + ' ');
}

/// Position of the plainest request to the viewer; npos without one.
std::size_t find_request(const std::string& spaced) {
    static const auto requests = entries_of(word_lists::call_to_action);
    for (const auto phrase : requests) {
        if (const auto at = find_phrase(spaced, phrase); at != std::string::npos) return at;
    }
    return std::string::npos;
}

// A short sentence is quoted whole, a long one from the request on.
constexpr std::ptrdiff_t whole_words_max = 14;
constexpr std::size_t tail_words_max = 12;

/// The text from the token with its word `number`, which counts from 0. Links have no words.
std::string_view from_word(std::string_view text, std::ptrdiff_t number) {
    while (true) {
        const auto end = std::min(text.find_first_of(whitespace), text.size());
        number -= std::ssize(words_of(without_links(text.substr(0, end))));
        if (number < 0 || end == text.size()) return text;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::string> request_in(const std::string& text) {
    const auto spaced = spaced_words(without_links(text));
    const auto at = find_request(spaced);
    if (at == std::string::npos) return std::nullopt;
    const bool is_short = std::count(spaced.begin(), spaced.end(), ' ') <= whole_words_max + 1;
    if (is_short) return text;
    const auto words_before = std::ranges::count(std::string_view{spaced}.substr(0, at), ' ');
    return first_words(from_word(text, words_before), tail_words_max);
}

std::ptrdiff_t evidence_for(
    std::string_view phrase, const std::vector<std::string>& sentences,
    const std::vector<std::string>& hashtags) {
    std::string tag{phrase};
    std::erase_if(tag, [](char byte) { return byte == ' ' || byte == '#'; });
    return std::ranges::count(hashtags, tag) +
           std::ranges::count_if(sentences, [phrase](const std::string& sentence) {
               return find_phrase(sentence, phrase) != std::string::npos;
           });
}

}  // namespace

std::vector<timed_text> joined_lines(const std::vector<timed_text>& lines) {
    std::vector<timed_text> blocks;
    std::vector<timed_text> firsts;
    for (const auto& line : lines) {
        const auto first = std::ranges::find_if(
            firsts, [&line](const timed_text& other) { return is_same_block(other, line); });
        if (first == firsts.end()) {
            blocks.push_back(line);
            firsts.push_back(line);
            continue;
        }
        auto& block = blocks[static_cast<std::size_t>(first - firsts.begin())];
        block.text += ' ' + line.text;
        block.end_seconds = std::max(block.end_seconds, line.end_seconds);
    }
    return blocks;
}

corpus corpus_of(
    const std::vector<timed_text>& blocks, const media::speech_report& speech,
    std::string_view caption, const std::vector<std::string>& hashtags) {
    corpus all;
    all.speech_doubtful = speech.doubtful;
    for (const auto& block : blocks) {
        if (words_of(block.text).empty()) continue;
        all.sentences.push_back({block.text, source::screen, block.start_seconds});
    }
    for (const auto& segment : speech.segments) {
        add_sentences(all, segment.text, source::speech, segment.start_seconds);
    }
    add_sentences(all, without_tags(caption), source::caption, 0);
    for (const auto& hashtag : hashtags) {
        const auto words = words_of(hashtag);
        if (words.size() == 1) all.hashtags.push_back(words.front());
    }
    return all;
}

std::string central_sentence(const corpus& text) {
    const auto sentences = quotable_sentences(text);
    std::map<std::string, int> sentences_with;
    for (const auto& sentence : sentences) {
        for (const auto& stem : stems_in(sentence)) ++sentences_with[stem];
    }
    const sentence* best = nullptr;
    std::pair<bool, double> best_rank;
    for (const auto& sentence : sentences) {
        auto score = centrality(stems_in(sentence), sentences_with) * trust_in(sentence.from);
        if (is_call_to_action(sentence.text)) score *= 0.2;
        // A label is better than no summary.
        const std::pair rank{word_count(sentence.text) >= sentence_words_min, score};
        // Of equals the first one, which is nearer to the video's own opening.
        if (best != nullptr && rank <= best_rank) continue;
        best = &sentence;
        best_rank = rank;
    }
    return best == nullptr ? std::string{}
                           : as_sentence(first_words(sentence_case(best->text), summary_words_max));
}

std::vector<std::string> opening_lines(const corpus& text) {
    const auto sentences = quotable_sentences(text);
    std::vector<std::string> lines;
    for (const auto from : {source::screen, source::speech}) {
        const auto first = std::ranges::find_if(sentences, [from](const sentence& sentence) {
            return sentence.from == from && sentence.start_seconds <= opening_seconds;
        });
        if (first == sentences.end()) continue;
        auto line = first_words(first->text, opening_words_max);
        if (lines.empty() || words_of(lines.front()) != words_of(line)) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

std::vector<std::string> key_phrases(const corpus& text) {
    phrase_table table;
    for (const auto& sentence : quotable_sentences(text)) {
        if (!is_call_to_action(sentence.text)) table.add_sentence(without_links(sentence.text));
    }
    for (const auto& hashtag : text.hashtags) {
        const bool is_reach_tag = std::ranges::find(reach_tags, hashtag) != reach_tags.end();
        if (!is_reach_tag && !is_stop_word(hashtag)) table.add({hashtag}, hashtag_weight);
    }

    std::vector<key_phrase> chosen;
    std::vector<std::string> topics;
    for (auto& phrase : table.ranked()) {
        if (chosen.size() == topics_max) break;
        // A single word that occurs once is chance, unless there is little else.
        const bool is_chance =
            phrase.stems.size() == 1 && phrase.count == 1 && phrase.score < hashtag_weight;
        if ((is_chance && chosen.size() >= topics_min) || shares_words(phrase, chosen)) continue;
        topics.push_back(phrase.text);
        chosen.push_back(std::move(phrase));
    }
    return topics;
}

bool is_call_to_action(std::string_view sentence) {
    return find_request(spaced_words(without_links(sentence))) != std::string::npos;
}

std::optional<std::string> call_to_action(const corpus& text) {
    // On-screen text is spelled best and comes first.
    for (const auto& sentence : text.sentences) {
        if (auto request = request_in(sentence.text)) return request;
    }
    return std::nullopt;
}

std::string format_of(const corpus& text) {
    std::vector<std::string> sentences;
    for (const auto& sentence : text.sentences) sentences.push_back(spaced_words(sentence.text));
    // "recipe: tablespoon"; the phrases of a format follow each other.
    static const auto phrases = entries_of(word_lists::formats);
    std::string_view best;
    std::string_view current;
    std::ptrdiff_t most = 0;
    std::ptrdiff_t evidence = 0;
    for (const auto entry : phrases) {
        const auto colon = entry.find(':');
        if (std::exchange(current, entry.substr(0, colon)) != entry.substr(0, colon)) evidence = 0;
        evidence += evidence_for(entry.substr(colon + 2), sentences, text.hashtags);
        if (evidence <= most) continue;
        best = current;
        most = evidence;
    }
    return std::string{best};
}

}  // namespace reelsd::model
