#include "word_senses.hpp"

#include <algorithm>
#include <optional>

namespace reelsd::model {

namespace {

struct detachment {
    std::string_view ending;
    std::string_view instead;
    sense_group group;
};

// Source: WordNet 3.0, morphy(7).
constexpr auto detachments = std::to_array<detachment>(
    {{"s", "", sense_group::noun},        {"ses", "s", sense_group::noun},
     {"xes", "x", sense_group::noun},     {"zes", "z", sense_group::noun},
     {"ches", "ch", sense_group::noun},   {"shes", "sh", sense_group::noun},
     {"men", "man", sense_group::noun},   {"ies", "y", sense_group::noun},
     {"s", "", sense_group::verb},        {"ies", "y", sense_group::verb},
     {"es", "e", sense_group::verb},      {"es", "", sense_group::verb},
     {"ed", "e", sense_group::verb},      {"ed", "", sense_group::verb},
     {"ing", "e", sense_group::verb},     {"ing", "", sense_group::verb},
     {"er", "", sense_group::adjective},  {"est", "", sense_group::adjective},
     {"er", "e", sense_group::adjective}, {"est", "e", sense_group::adjective}});

constexpr std::size_t base_letters_min = 2;  // Shorter ones are letters, not words.

/// An entry for a form of a word, with its part of speech if the form determines it.
struct candidate {
    lexicon_entry entry;
    std::optional<sense_group> group;

    [[nodiscard]] bool has(sense_group required_group) const {
        return required_group == sense_group::added || !group || group == required_group;
    }
};

std::vector<candidate> candidates_of(
    const lexicon& words, const std::string& prefix, std::string_view word) {
    std::vector<candidate> candidates;
    if (const auto whole = words.find(prefix + std::string{word})) {
        candidates.push_back({*whole, std::nullopt});
        for (const auto packed : prefix.empty() ? whole->bases : std::span<const std::uint32_t>{}) {
            if (const auto base = words.base(packed)) {
                candidates.push_back({base->entry, base->group});
            }
        }
    }
    for (const auto& base : base_candidates(word)) {
        if (const auto entry = words.find(prefix + base.text)) {
            candidates.push_back({*entry, base.group});
        }
    }
    return candidates;
}

/// How often a candidate occurs as that part of speech, plus one for those that have no count.
float usage_of(const candidate& candidate, std::size_t part) {
    const auto group = static_cast<sense_group>(part);
    const bool has_sense = std::ranges::find(candidate.entry.senses, group, &packed_sense::group) !=
                           candidate.entry.senses.end();
    if (!has_sense || !candidate.has(group)) return 0;
    return static_cast<float>(candidate.entry.counts[part]) + 1;
}

class sense_mix {
public:
    explicit sense_mix(const std::vector<candidate>& candidates) {
        for (const auto& candidate : candidates) {
            for (std::size_t part = 0; part < candidate.entry.counts.size(); ++part) {
                usage_ += usage_of(candidate, part);
            }
        }
        for (const auto& candidate : candidates) add(candidate);
    }

    [[nodiscard]] std::vector<weighted_sense> take() { return std::move(senses_); }

private:
    void add(const candidate& candidate) {
        for (const auto sense : candidate.entry.senses) {
            if (!candidate.has(sense.group())) continue;
            auto& weight = weight_of(sense.vector_index());
            if (sense.group() == sense_group::added) {
                // Two forms of a word may have the same added sense, which counts once.
                weight = std::max(weight, sense.weight());
            } else {
                const auto part = static_cast<std::size_t>(sense.group());
                weight += sense.weight() * usage_of(candidate, part) / usage_;
            }
        }
    }

    float& weight_of(std::uint32_t index) {
        const auto known = std::ranges::find(senses_, index, &weighted_sense::vector_index);
        if (known != senses_.end()) return known->weight;
        return senses_.emplace_back(weighted_sense{index, 0}).weight;
    }

    float usage_ = 0;
    std::vector<weighted_sense> senses_;
};

word_sense_candidates mixed(const std::vector<candidate>& candidates) {
    if (candidates.empty()) return {};
    float rarity = 1;
    for (const auto& candidate : candidates) rarity = std::min(rarity, candidate.entry.rarity);
    return {.rarity = rarity, .senses = sense_mix{candidates}.take()};
}

}  // namespace

std::vector<base_candidate> base_candidates(std::string_view word) {
    std::vector<base_candidate> candidates;
    for (const auto& rule : detachments) {
        if (!word.ends_with(rule.ending)) continue;
        const auto stem = word.substr(0, word.size() - rule.ending.size());
        std::string base{stem};
        base += rule.instead;
        if (base.size() >= base_letters_min) candidates.push_back({std::move(base), rule.group});
    }
    return candidates;
}

word_sense_candidates read_word(const lexicon& words, std::string_view word) {
    return mixed(candidates_of(words, {}, word));
}

word_sense_candidates read_pair(
    const lexicon& words, std::string_view first, std::string_view second) {
    return mixed(candidates_of(words, std::string{first} + '_', second));
}

}  // namespace reelsd::model
