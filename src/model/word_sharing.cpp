#include "word_sharing.hpp"

#include "words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace reelsd::model {
namespace {

/// How far the middle of a word may be from the passage that it belongs to.
constexpr double distance_max = 0.5;
/// Letters of a passage that may be missing before a word, because the server left words out.
constexpr std::size_t missing_letters_max = 30;

double middle_of(const timed_text& word) {
    return (word.start_seconds + word.end_seconds) / 2;
}

double distance_of(const timed_text& passage, double seconds) {
    return std::max({passage.start_seconds - seconds, seconds - passage.end_seconds, 0.0});
}

class word_sharer {
public:
    explicit word_sharer(const std::vector<timed_text>& passages)
        : passages_{passages}, matched_(passages.size()), shared_(passages.size()) {
        for (const auto& passage : passages)
            letters_.push_back(folded_text{passage.text}.letters());
    }

    void add(const timed_text& word) {
        const auto letters = folded_text{word.text}.letters();
        const auto middle = middle_of(word);
        // Punctuation follows its word.
        const bool is_mark =
            letters.empty() && last_ && distance_of(passages_[*last_], middle) <= distance_max;
        if (!is_mark) last_ = passage_of(letters, middle);
        if (last_) shared_[*last_].push_back(word);
    }

    [[nodiscard]] std::vector<std::vector<timed_text>> take() && { return std::move(shared_); }

private:
    /// How well a word fits a passage. The least is the best.
    enum class fit : std::uint8_t { next, later, by_time };

    /// Notes the word as matched.
    std::optional<std::size_t> passage_of(const std::u32string& letters, double middle) {
        std::optional<std::size_t> best;
        std::tuple<fit, double> best_rank;
        std::size_t around = 0;
        for (std::size_t at = 0; at < passages_.size(); ++at) {
            const auto distance = distance_of(passages_[at], middle);
            if (distance > distance_max) continue;
            if (distance == 0 && middle < passages_[at].end_seconds) ++around;
            const std::tuple rank{fit_of(at, letters), distance};
            // At a boundary, a word that is in no text belongs to the later passage.
            const bool is_later = rank == best_rank && std::get<fit>(rank) == fit::by_time;
            if (best && rank >= best_rank && !is_later) continue;
            best = at;
            best_rank = rank;
        }
        if (!best) return std::nullopt;
        if (std::get<fit>(best_rank) == fit::by_time) return around > 1 ? std::nullopt : best;
        matched_[*best] = *position_of(*best, letters) + letters.size();
        return best;
    }

    [[nodiscard]] fit fit_of(std::size_t passage, const std::u32string& letters) const {
        const auto position = position_of(passage, letters);
        if (!position) return fit::by_time;
        return *position == matched_[passage] ? fit::next : fit::later;
    }

    /// The word's position in what is left of a passage; empty if it is not in it.
    [[nodiscard]] std::optional<std::size_t> position_of(
        std::size_t passage, const std::u32string& letters) const {
        if (letters.empty()) return std::nullopt;
        const auto rest = std::u32string_view{letters_[passage]}.substr(matched_[passage]);
        const auto at = rest.substr(0, missing_letters_max + letters.size()).find(letters);
        if (at == std::u32string_view::npos) return std::nullopt;
        return matched_[passage] + at;
    }

    const std::vector<timed_text>& passages_;
    std::vector<std::u32string> letters_;
    std::vector<std::size_t> matched_;  ///< Letters of each passage up to its last word.
    std::vector<std::vector<timed_text>> shared_;
    std::optional<std::size_t> last_;  ///< The passage of the last word.
};

}  // namespace

std::vector<std::vector<timed_text>> share_words(
    const std::vector<timed_text>& passages, const std::vector<timed_text>& words) {
    word_sharer sharer{passages};
    for (const auto& word : words) sharer.add(word);
    return std::move(sharer).take();
}

}  // namespace reelsd::model
