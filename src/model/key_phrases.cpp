#include "corpus.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace reelsd::model {

namespace {

constexpr std::size_t topics_max = 8;  // More are no longer what the video is about.
constexpr std::size_t topics_wanted = 3;
constexpr std::size_t phrase_words_max = 3;
constexpr double hashtag_weight = 2.0;  // The author's own key words.

// Hashtags that ask for reach and say nothing about the subject.
constexpr auto reach_tags = std::to_array<std::string_view>(
    {"explore", "explorepage",  "follow",     "followme",       "foryou",     "foryoupage",
     "fyp",     "instadaily",   "instagood",  "instagram",      "instareels", "love",
     "reel",    "reelitfeelit", "reels",      "reelsinstagram", "trending",   "video",
     "viral",   "viralreels",   "viralvideos"});

struct candidate {
    std::string text;  ///< As it is written the first time.
    std::vector<std::string> stems;
    double score = 0;
    int seen = 0;
    std::size_t order = 0;  ///< Of its first occurrence.
};

/// Candidates by their words. A word of longer phrases that returns often scores higher (RAKE's
/// degree).
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
        candidate one{.text = {}, .stems = {}, .order = candidates_.size()};
        for (const auto& word : words) {
            one.text += (one.text.empty() ? "" : " ") + word;
            one.stems.push_back(stem_of(word));
            degree_[one.stems.back()] += weight * static_cast<double>(words.size());
        }
        auto& entry = candidates_.try_emplace(one.stems, one).first->second;
        entry.score += weight;
        ++entry.seen;
    }

    /// All candidates, the best first.
    [[nodiscard]] std::vector<candidate> ranked() const {
        std::vector<candidate> all;
        for (const auto& [stems, entry] : candidates_) {
            double degrees = 0;
            for (const auto& stem : stems) degrees += degree_.at(stem);
            all.push_back(entry);
            all.back().score *= degrees;
        }
        std::sort(all.begin(), all.end(), [](const candidate& left, const candidate& right) {
            if (left.score != right.score) return left.score > right.score;
            return left.order < right.order;
        });
        return all;
    }

private:
    std::map<std::string, double> degree_;
    std::map<std::vector<std::string>, candidate> candidates_;
};

/// "coffee" adds nothing to "better coffee".
bool shares_words(const candidate& one, const std::vector<candidate>& taken) {
    return std::any_of(taken.begin(), taken.end(), [&one](const candidate& other) {
        return std::find_first_of(
                   one.stems.begin(), one.stems.end(), other.stems.begin(), other.stems.end()) !=
               one.stems.end();
    });
}

}  // namespace

std::vector<std::string> key_phrases(const corpus& text) {
    phrase_table table;
    for (const auto& one : text.sentences) {
        if (!is_call_to_action(one.text)) table.add_sentence(one.text);
    }
    for (const auto& hashtag : text.hashtags) {
        const bool asks_for_reach =
            std::find(reach_tags.begin(), reach_tags.end(), hashtag) != reach_tags.end();
        if (!asks_for_reach && !is_stop_word(hashtag)) table.add({hashtag}, hashtag_weight);
    }

    std::vector<candidate> taken;
    std::vector<std::string> topics;
    for (auto& one : table.ranked()) {
        if (taken.size() == topics_max) break;
        // A single word that occurs once is chance, unless there is little else.
        const bool is_chance = one.stems.size() == 1 && one.seen == 1 && one.score < hashtag_weight;
        if ((is_chance && taken.size() >= topics_wanted) || shares_words(one, taken)) continue;
        topics.push_back(one.text);
        taken.push_back(std::move(one));
    }
    return topics;
}

}  // namespace reelsd::model
