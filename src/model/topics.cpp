#include "reading.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace reelsd::model {

namespace {

constexpr std::size_t topics_max = 8;  // More are no longer what the video is about.
constexpr std::size_t topics_wanted = 3;
constexpr std::size_t phrase_words_max = 3;
constexpr double hashtag_weight = 2.0;  // The author's own key words.

// Hashtags that ask for reach and say nothing.
constexpr auto reach_tags = std::to_array<std::string_view>(
    {"explore", "explorepage",  "follow",     "followme",       "foryou",     "foryoupage",
     "fyp",     "instadaily",   "instagood",  "instagram",      "instareels", "love",
     "reel",    "reelitfeelit", "reels",      "reelsinstagram", "trending",   "video",
     "viral",   "viralreels",   "viralvideos"});

struct phrase {
    std::vector<std::string> words;
    std::vector<std::string> stems;
};

/// Runs of words that mean something, between the ones that do not and the marks.
std::vector<phrase> phrases_of(std::string_view text) {
    std::vector<phrase> phrases;
    phrase open;
    const auto close = [&] {
        const auto words = open.words.size();
        if (words > 0 && words <= phrase_words_max) phrases.push_back(open);
        open = {};
    };
    for (const auto& word : words_and_breaks_of(text)) {
        const bool number = word.find_first_not_of("0123456789") == std::string::npos;
        if (number || word.size() < 2 || is_stop_word(word)) {
            close();
            continue;
        }
        open.words.push_back(word);
        open.stems.push_back(stem_of(word));
    }
    close();
    return phrases;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

struct candidate {
    std::string text;  ///< As it stands the first time.
    std::vector<std::string> stems;
    double score = 0;
    int seen = 0;
    std::size_t first = 0;
};

/// A word that keeps longer company and returns often is worth more (degree by frequency).
class phrase_table {
public:
    void add(const phrase& one, double weight) {
        for (const auto& stem : one.stems) {
            frequency_[stem] += weight;
            degree_[stem] += weight * static_cast<double>(one.stems.size());
        }
        auto& entry = candidates_[joined(one.stems)];
        if (entry.seen++ == 0) {
            entry.text = joined(one.words);
            entry.stems = one.stems;
            entry.first = candidates_.size();
        }
        entry.score += weight;
    }

    /// All candidates, the best first.
    [[nodiscard]] std::vector<candidate> ranked() const {
        std::vector<candidate> all;
        for (const auto& [key, entry] : candidates_) {
            auto scored = entry;
            double words = 0;
            for (const auto& stem : entry.stems) {
                words += frequency_.at(stem) * degree_.at(stem) / frequency_.at(stem);
            }
            scored.score *= words;
            all.push_back(std::move(scored));
        }
        std::sort(all.begin(), all.end(), [](const candidate& left, const candidate& right) {
            if (left.score != right.score) return left.score > right.score;
            return left.first < right.first;
        });
        return all;
    }

private:
    std::map<std::string, double> frequency_;
    std::map<std::string, double> degree_;
    std::map<std::string, candidate> candidates_;
};

/// "coffee" beside "better coffee" tells nothing new.
bool shares_words(const candidate& one, const std::vector<candidate>& taken) {
    return std::any_of(taken.begin(), taken.end(), [&one](const candidate& other) {
        return std::any_of(one.stems.begin(), one.stems.end(), [&other](const std::string& stem) {
            return std::find(other.stems.begin(), other.stems.end(), stem) != other.stems.end();
        });
    });
}

bool asks_for_reach(std::string_view hashtag) {
    return std::find(reach_tags.begin(), reach_tags.end(), hashtag) != reach_tags.end();
}

phrase_table phrases_in(const reading& text) {
    phrase_table table;
    for (const auto& one : text.sentences) {
        if (is_call_to_action(one.text)) continue;
        for (const auto& found : phrases_of(one.text)) table.add(found, 1);
    }
    for (const auto& hashtag : text.hashtags) {
        if (asks_for_reach(hashtag) || is_stop_word(hashtag)) continue;
        table.add({{hashtag}, {stem_of(hashtag)}}, hashtag_weight);
    }
    return table;
}

/// The first of `ranked` that tell something new each, `topics_max` at most.
std::vector<candidate> most_telling(std::vector<candidate> ranked) {
    std::vector<candidate> taken;
    for (auto& one : ranked) {
        if (taken.size() == topics_max) break;
        // A single word that stands once is chance, unless there is little else.
        const bool telling = one.stems.size() > 1 || one.seen > 1 || one.score >= hashtag_weight;
        if (!telling && taken.size() >= topics_wanted) continue;
        if (!shares_words(one, taken)) taken.push_back(std::move(one));
    }
    return taken;
}

}  // namespace

std::vector<std::string> key_phrases(const reading& text) {
    auto taken = most_telling(phrases_in(text).ranked());
    std::vector<std::string> topics;
    topics.reserve(taken.size());
    for (auto& one : taken) topics.push_back(std::move(one.text));
    return topics;
}

}  // namespace reelsd::model
