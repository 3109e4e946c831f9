#include "../words.hpp"
#include "lexicon.hpp"
#include "word_senses.hpp"
#include <reelsd/model/local_embedder.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

namespace reelsd::model {

namespace {

constexpr double pair_weight = 1.3;         // "ice cream" says more than either word,
constexpr double in_pair_weight = 0.4;      // and its words say less than elsewhere.
constexpr std::size_t word_bytes_max = 60;  // As in the dictionary.
// A hashtag is often two words in one.
constexpr std::size_t part_letters_min = 3;
constexpr double part_weight = 0.8;

/// What a text's words mean together.
class accumulator {
public:
    explicit accumulator(const lexicon& words) : words_{words} {}

    void add(const weighted_text& piece) {
        const auto found = words_and_breaks_of(piece.text);
        std::vector<double> weights(found.size(), piece.weight);
        for (std::size_t i = 0; i + 1 < found.size(); ++i) {
            if (!is_known_pair(found[i], found[i + 1])) continue;
            tell(found[i] + '_' + found[i + 1], pair_weight * piece.weight);
            weights[i] = weights[i + 1] = in_pair_weight * piece.weight;
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (is_telling(found[i])) tell(found[i], weights[i]);
        }
    }

    [[nodiscard]] concept_vector strongest(std::size_t components_max) const {
        std::unordered_map<std::uint32_t, float> sum;
        for (const auto& [word, said] : said_) add_word(sum, word, said);
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
        concept_vector made;
        made.reserve(kept);
        for (const auto& [weight, id] : ranked) {
            if (weight > 0) made.push_back({static_cast<std::int32_t>(id), weight * scale});
        }
        std::sort(made.begin(), made.end(), [](const auto& left, const auto& right) {
            return left.concept_id < right.concept_id;
        });
        return made;
    }

private:
    struct mention {
        word_sense_candidates reading;
        double weight = 0;
    };

    static bool is_telling(const std::string& word) {
        return word.size() > 1 && word.size() <= word_bytes_max && !is_stop_word(word);
    }

    [[nodiscard]] bool is_known_pair(const std::string& first, const std::string& second) {
        // "in the" and the like are in no dictionary; "take off" is, and means everything.
        if (!is_telling(first) || !is_telling(second)) return false;
        auto read = read_pair(words_, first, second);
        if (read.senses.empty()) return false;
        said_.try_emplace(first + '_' + second, mention{std::move(read), 0});
        return true;
    }

    void tell(const std::string& word, double weight) {
        auto known = said_.find(word);
        if (known == said_.end()) {
            known = said_.emplace(word, mention{read_word(words_, bare(word)), 0}).first;
        }
        known->second.weight += weight;
        if (known->second.reading.senses.empty()) tell_parts(word, weight);
    }

    static std::string_view bare(std::string_view word) {
        return word.ends_with("'s") ? word.substr(0, word.size() - 2) : word;
    }

    /// "mealprep", "weightloss": the cut with the rarer parts is meant, "brea king" is none.
    void tell_parts(const std::string& word, double weight) {
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
        tell(word.substr(0, best), part_weight * weight);
        tell(word.substr(best), part_weight * weight);
    }

    /// How usual a word is: 0 for an unknown one.
    [[nodiscard]] double usage_of(std::string_view word) const {
        const auto read = read_word(words_, word);
        return read.senses.empty() ? 0 : 1.01 - static_cast<double>(read.rarity);
    }

    void add_word(
        std::unordered_map<std::uint32_t, float>& sum, const std::string& /*word*/,
        const mention& said) const {
        const auto weight = said.reading.rarity * static_cast<float>(std::log1p(said.weight));
        for (const auto& sense : said.reading.senses) {
            for (const auto component : words_.vector_of(sense.vector_index)) {
                sum[component.id()] += weight * sense.weight * component.weight();
            }
        }
    }

    const lexicon& words_;
    std::unordered_map<std::string, mention> said_;
};

}  // namespace

double similarity(const concept_vector& left, const concept_vector& right) noexcept {
    double sum = 0;
    auto other = right.begin();
    for (const auto& one : left) {
        while (other != right.end() && other->concept_id < one.concept_id) ++other;
        if (other == right.end()) break;
        if (other->concept_id == one.concept_id) {
            sum += static_cast<double>(one.weight) * static_cast<double>(other->weight);
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
    auto held = std::make_unique<lexicon>(std::move(*words));
    return std::unique_ptr<local_embedder>{new local_embedder{std::move(held)}};
}

concept_vector local_embedder::concepts_of(
    std::span<const weighted_text> pieces, std::size_t components_max) const {
    accumulator whole{*words_};
    for (const auto& piece : pieces) whole.add(piece);
    return whole.strongest(components_max);
}

}  // namespace reelsd::model
