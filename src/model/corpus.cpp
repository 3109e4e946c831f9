#include "corpus.hpp"

#include "words.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace reelsd::model {

namespace {

// Lines of one caption appear in the same frame or fade in one after the other; measured start-time
// errors of the reader are 0.15 s in the median and 0.72 s at 90 %.
constexpr double same_block_seconds = 0.6;

constexpr std::size_t sentence_words_min = 3;  // Fewer are a label, not a sentence.
constexpr std::size_t summary_words_max = 30;  // One sentence that fits a list entry.
constexpr std::size_t stems_counted_max = 8;   // Beyond that it is long, not full.
constexpr double opening_seconds = 3.0;        // What has not caught by then holds nobody.
constexpr std::size_t opening_words_max = 20;

bool one_block(const timed_text& first, const timed_text& line) {
    return std::abs(first.start_seconds - line.start_seconds) <= same_block_seconds &&
           std::abs(first.end_seconds - line.end_seconds) <= same_block_seconds;
}

/// How well a sentence of that kind is spelled and put: the caption was written with care, and what
/// is shown are headings rather than sentences.
double trust_in(source from, bool speech_doubtful) {
    switch (from) {
        case source::screen: return 0.85;
        case source::speech: return speech_doubtful ? 0.5 : 0.85;
        case source::caption: return 1.0;
    }
    return 0;
}

using stem_set = std::set<std::string>;

stem_set stems_in(const sentence& one) {
    const auto stems = content_stems_of(one.text);
    return {stems.begin(), stems.end()};
}

/// In how many other sentences its words return, and a little for each word that says something: of
/// sentences about the same the fuller one.
double centrality(const stem_set& stems, const std::map<std::string, int>& sentences_with) {
    double score = 0.25 * static_cast<double>(std::min(stems.size(), stems_counted_max));
    for (const auto& stem : stems) score += sentences_with.at(stem) - 1;
    return score;
}

void add_sentences(corpus& to, std::string_view text, source from, double start_seconds) {
    for (auto& one : sentences_of(text)) {
        to.sentences.push_back({std::move(one), from, start_seconds});
    }
}

}  // namespace

std::vector<timed_text> joined_lines(const std::vector<timed_text>& lines) {
    std::vector<timed_text> blocks;
    std::vector<timed_text> firsts;
    for (const auto& line : lines) {
        if (!blocks.empty() && one_block(firsts.back(), line)) {
            blocks.back().text += ' ' + line.text;
            blocks.back().end_seconds = std::max(blocks.back().end_seconds, line.end_seconds);
            continue;
        }
        blocks.push_back(line);
        firsts.push_back(line);
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
    std::map<std::string, int> sentences_with;
    for (const auto& one : text.sentences) {
        for (const auto& stem : stems_in(one)) ++sentences_with[stem];
    }
    const sentence* best = nullptr;
    double best_score = 0;
    for (const auto& one : text.sentences) {
        if (words_of(one.text).size() < sentence_words_min) continue;
        auto score =
            centrality(stems_in(one), sentences_with) * trust_in(one.from, text.speech_doubtful);
        if (is_call_to_action(one.text)) score *= 0.2;
        // Strictly better only: of equals the first stands nearer to the video's own opening.
        if (best != nullptr && score <= best_score) continue;
        best = &one;
        best_score = score;
    }
    return best == nullptr ? std::string{}
                           : as_sentence(first_words(best->text, summary_words_max));
}

std::vector<std::string> opening_lines(const corpus& text) {
    std::vector<std::string> lines;
    for (const auto from : {source::screen, source::speech}) {
        const auto first =
            std::find_if(text.sentences.begin(), text.sentences.end(), [from](const sentence& one) {
                return one.from == from && one.start_seconds <= opening_seconds;
            });
        if (first == text.sentences.end()) continue;
        auto line = first_words(first->text, opening_words_max);
        if (lines.empty() || words_of(lines.front()) != words_of(line)) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

}  // namespace reelsd::model
