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

/// One entry under which a word stands; all groups, or the one that its ending belongs to.
struct candidate {
    lexicon_entry entry;
    std::optional<sense_group> group;
};

bool holds(const candidate& one, sense_group group) {
    return group == sense_group::added || !one.group || one.group == group;
}

void add_entry(
    std::vector<candidate>& found, const std::optional<lexicon_entry>& entry,
    std::optional<sense_group> group) {
    if (entry) found.push_back({*entry, group});
}

std::vector<candidate> candidates_of(
    const lexicon& words, const std::string& prefix, std::string_view word) {
    std::vector<candidate> found;
    const auto whole = words.find(prefix + std::string{word});
    add_entry(found, whole, std::nullopt);
    const auto bare = prefix.empty() ? whole : words.find(word);
    if (bare && prefix.empty()) {
        for (const auto packed : bare->bases) {
            if (const auto base = words.base(packed)) found.push_back({base->entry, base->group});
        }
    }
    for (const auto& base : base_candidates(word)) {
        add_entry(found, words.find(prefix + base.text), base.group);
    }
    return found;
}

/// How often a candidate's part of speech was met; one more, so that the unseen count too.
float usage_of(const candidate& one, std::size_t part) {
    const bool any =
        std::any_of(one.entry.senses.begin(), one.entry.senses.end(), [part](packed_sense sense) {
            return static_cast<std::size_t>(sense.group()) == part;
        });
    if (!any || !holds(one, static_cast<sense_group>(part))) return 0;
    return static_cast<float>(one.entry.counts[part]) + 1;
}

class sense_mix {
public:
    explicit sense_mix(const std::vector<candidate>& candidates) {
        for (const auto& one : candidates) {
            for (std::size_t part = 0; part < one.entry.counts.size(); ++part) {
                usage_ += usage_of(one, part);
            }
        }
        for (const auto& one : candidates) add(one);
    }

    [[nodiscard]] std::vector<weighted_sense> take() { return std::move(senses_); }

private:
    void add(const candidate& one) {
        for (const auto sense : one.entry.senses) {
            if (sense.group() == sense_group::added) {
                // The same of two forms of a word is still one.
                raise(sense.vector_index(), sense.weight());
            } else if (holds(one, sense.group())) {
                const auto share = usage_of(one, static_cast<std::size_t>(sense.group())) / usage_;
                at(sense.vector_index()).weight += sense.weight() * share;
            }
        }
    }

    weighted_sense& at(std::uint32_t index) {
        const auto found = std::find_if(senses_.begin(), senses_.end(), [index](const auto& one) {
            return one.vector_index == index;
        });
        return found != senses_.end() ? *found : senses_.emplace_back(weighted_sense{index, 0});
    }

    void raise(std::uint32_t index, float weight) {
        auto& sense = at(index);
        sense.weight = std::max(sense.weight, weight);
    }

    float usage_ = 0;
    std::vector<weighted_sense> senses_;
};

word_sense_candidates reading_of(const std::vector<candidate>& candidates) {
    word_sense_candidates read;
    if (candidates.empty()) return read;
    read.rarity = 1;
    for (const auto& one : candidates) read.rarity = std::min(read.rarity, one.entry.rarity);
    read.senses = sense_mix{candidates}.take();
    return read;
}

}  // namespace

std::vector<base_candidate> base_candidates(std::string_view word) {
    std::vector<base_candidate> found;
    for (const auto& rule : detachments) {
        if (!word.ends_with(rule.ending)) continue;
        const auto stem = word.substr(0, word.size() - rule.ending.size());
        std::string base{stem};
        base += rule.instead;
        if (base.size() >= base_letters_min) found.push_back({std::move(base), rule.group});
    }
    return found;
}

word_sense_candidates read_word(const lexicon& words, std::string_view word) {
    return reading_of(candidates_of(words, {}, word));
}

word_sense_candidates read_pair(
    const lexicon& words, std::string_view first, std::string_view second) {
    return reading_of(candidates_of(words, std::string{first} + '_', second));
}

}  // namespace reelsd::model
