#include "../words.hpp"
#include "lexicon.hpp"
#include <reelsd/model/embedder.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

namespace reelsd::model {

namespace {

constexpr double pair_weight = 1.3;         // "ice cream" says more than either word.
constexpr double in_pair_weight = 0.4;      // Its words say less than elsewhere.
constexpr std::size_t word_bytes_max = 60;  // As in the dictionary.
// A hashtag is often two words without a space.
constexpr std::size_t part_letters_min = 3;
constexpr double part_weight = 0.8;

/// Sums the concepts of a text's words.
class accumulator {
public:
    explicit accumulator(const lexicon& words) : words_{words} {}

    void add(const weighted_text& piece) {
        const auto words = words_and_breaks_of(piece.text);
        std::vector<double> weights(words.size(), piece.weight);
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            if (!is_known_pair(words[i], words[i + 1])) continue;
            add(words[i] + '_' + words[i + 1], pair_weight * piece.weight);
            weights[i] = weights[i + 1] = in_pair_weight * piece.weight;
        }
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (is_content_word(words[i])) add(words[i], weights[i]);
        }
    }

    [[nodiscard]] concept_vector strongest(std::size_t components_max) const {
        std::unordered_map<std::uint32_t, float> sum;
        for (const auto& [word, mention] : mentions_) add_concepts(sum, mention);
        std::vector<std::pair<float, std::uint32_t>> ranked;
        ranked.reserve(sum.size());
        for (const auto& [id, weight] : sum) ranked.emplace_back(weight, id);
        const auto kept = std::min(components_max, ranked.size());
        std::partial_sort(
            ranked.begin(),
            ranked.begin() + static_cast<std::ptrdiff_t>(kept),
            ranked.end(),
            std::greater<>{});
        ranked.resize(kept);

        double squares = 0;
        for (const auto& [weight, id] : ranked) squares += static_cast<double>(weight) * weight;
        const auto scale = squares > 0 ? static_cast<float>(1 / std::sqrt(squares)) : 0.0F;
        concept_vector concepts;
        concepts.reserve(kept);
        for (const auto& [weight, id] : ranked) {
            if (weight > 0) concepts.push_back({static_cast<std::int32_t>(id), weight * scale});
        }
        std::ranges::sort(concepts, {}, &concept_weight::concept_id);
        return concepts;
    }

private:
    struct word_mention {
        word_sense_candidates candidates;
        double weight = 0;
    };

    static bool is_content_word(const std::string& word) {
        return word.size() > 1 && word.size() <= word_bytes_max && !is_stop_word(word);
    }

    [[nodiscard]] bool is_known_pair(const std::string& first, const std::string& second) {
        // "take off" is in the dictionary, but means too much.
        if (!is_content_word(first) || !is_content_word(second)) return false;
        auto candidates = read_pair(words_, first, second);
        if (candidates.senses.empty()) return false;
        mentions_.try_emplace(first + '_' + second, word_mention{std::move(candidates), 0});
        return true;
    }

    void add(const std::string& word, double weight) {
        auto known = mentions_.find(word);
        if (known == mentions_.end()) {
            known = mentions_.emplace(word, word_mention{read_word(words_, bare(word)), 0}).first;
        }
        known->second.weight += weight;
        if (known->second.candidates.senses.empty()) add_parts(word, weight);
    }

    static std::string_view bare(std::string_view word) {
        return word.ends_with("'s") ? word.substr(0, word.size() - 2) : word;
    }

    /// Splits "mealprep" and "weightloss" into the most frequent pair of known words.
    void add_parts(const std::string& word, double weight) {
        std::size_t best = 0;
        double best_count = 0;
        for (auto at = part_letters_min; at + part_letters_min <= word.size(); ++at) {
            const auto count = std::min(
                usage_of(std::string_view{word}.substr(0, at)),
                usage_of(std::string_view{word}.substr(at)));
            if (count <= best_count) continue;
            best = at;
            best_count = count;
        }
        if (best == 0) return;
        add(word.substr(0, best), part_weight * weight);
        add(word.substr(best), part_weight * weight);
    }

    /// How frequent a word is; 0 for an unknown one.
    [[nodiscard]] double usage_of(std::string_view word) const {
        const auto candidates = read_word(words_, word);
        return candidates.senses.empty() ? 0 : 1.01 - static_cast<double>(candidates.rarity);
    }

    void add_concepts(
        std::unordered_map<std::uint32_t, float>& sum, const word_mention& mention) const {
        const auto& candidates = mention.candidates;
        const auto weight = candidates.rarity * static_cast<float>(std::log1p(mention.weight));
        for (const auto& sense : candidates.senses) {
            for (const auto component : words_.vector_of(sense.vector_index)) {
                sum[component.id()] += weight * sense.weight * component.weight();
            }
        }
    }

    const lexicon& words_;
    std::unordered_map<std::string, word_mention> mentions_;
};

}  // namespace

double similarity(const concept_vector& left, const concept_vector& right) noexcept {
    double sum = 0;
    auto other = right.begin();
    for (const auto& component : left) {
        while (other != right.end() && other->concept_id < component.concept_id) ++other;
        if (other == right.end()) break;
        if (other->concept_id == component.concept_id) {
            sum += static_cast<double>(component.weight) * static_cast<double>(other->weight);
        }
    }
    return sum;
}

local_embedder::local_embedder(std::unique_ptr<lexicon> words) noexcept
    : words_{std::move(words)} {}

local_embedder::~local_embedder() = default;

result<std::unique_ptr<local_embedder>> local_embedder::open(
    const std::filesystem::path& dictionary) {
    auto words = lexicon::open(dictionary);
    if (!words) return words.error();
    auto dictionary_words = std::make_unique<lexicon>(std::move(*words));
    return std::unique_ptr<local_embedder>{new local_embedder{std::move(dictionary_words)}};
}

concept_vector local_embedder::concepts_of(
    std::span<const weighted_text> pieces, std::size_t components_max) const {
    accumulator sum{*words_};
    for (const auto& piece : pieces) sum.add(piece);
    return sum.strongest(components_max);
}

}  // namespace reelsd::model
