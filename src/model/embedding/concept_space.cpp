#include "../words.hpp"
#include "lexicon_builder.hpp"
#include "word_senses.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace reelsd::model {

namespace {

// Weights of a synset's neighbours, tuned on a synthetic set of reels: tests/bench/search_eval.
constexpr double hypernym_factor = 0.7;  // For each step up.
constexpr int hypernym_steps_max = 4;
constexpr double information_min = 0.35;  // More general synsets are near everything.
constexpr double gloss_weight = 0.35;
constexpr std::size_t components_max =
    24;  // Of a sense's vector: more would only enlarge the file.

// How much a part of speech says about a subject, relative to a noun.
constexpr std::array<double, parts_of_speech> part_factors{1.0, 0.85, 0.8, 0.5};

// IDs of topics are above those of all synsets and within 24 bits. They are derived from the name,
// so that other topics do not change them: they are stored with each reel.
constexpr std::uint32_t topic_ids_begin = 1U << 17U;
constexpr std::uint32_t topic_ids_end = 1U << 24U;
constexpr double subject_information = 0.8;

struct relation {
    std::string_view symbol;
    double weight;
};
// Source of the symbols: WordNet 3.0, wninput(5).
constexpr auto relations = std::to_array<relation>(
    {{"+", 0.5},   // derived form
     {";c", 0.5},  // domain
     {"%p", 0.2},  // parts
     {"#p", 0.2},  // wholes
     {"%s", 0.2},  // substances
     {"#s", 0.2},
     {"&", 0.6},    // similar adjectives
     {"=", 0.4},    // attribute
     {"\\", 0.6},   // noun of an adjective
     {"$", 0.6},    // similar verbs
     {"*", 0.3},    // entails
     {">", 0.3},    // causes
     {"^", 0.3}});  // see also

bool leads_up(std::string_view symbol) {
    return symbol == "@" || symbol == "@i";
}

std::uint32_t topic_id(std::string_view name) {
    return topic_ids_begin + lexicon_format::hash(name) % (topic_ids_end - topic_ids_begin);
}

/// Information content of a synset: 1 for a leaf, 0 for the root. Source: N. Seco et al., An
/// intrinsic information content metric, 2004.
std::vector<double> information_of(const wordnet& base) {
    std::vector<std::uint32_t> below(base.synsets.size());
    std::vector<std::uint32_t> above;  // About a dozen, at most some thirty.
    for (std::uint32_t start = 0; start < base.synsets.size(); ++start) {
        above.assign(1, start);
        for (std::size_t at = 0; at < above.size(); ++at) {
            for (const auto& pointer : base.synsets[above[at]].pointers) {
                const bool is_known = std::ranges::find(above, pointer.target) != above.end();
                if (leads_up(pointer.symbol) && !is_known) above.push_back(pointer.target);
            }
        }
        for (std::size_t i = 1; i < above.size(); ++i) ++below[above[i]];
    }
    std::vector<double> information(base.synsets.size());
    for (std::size_t i = 0; i < information.size(); ++i) {
        const auto part = static_cast<std::size_t>(base.synsets[i].part);
        const auto all = static_cast<double>(base.begins[part + 1] - base.begins[part]);
        information[i] = (1 - std::log(below[i] + 1.0) / std::log(all)) * part_factors[part];
    }
    return information;
}

class vector_builder {
public:
    vector_builder(const wordnet& base, const topic_list& added, const lexicon& words)
        : base_{base}, added_{added}, words_{words}, information_{information_of(base)} {}

    result<sense_vectors> build() {
        if (const auto unique = check_topic_ids(); !unique) return unique.error();
        sense_vectors vectors;
        for (std::uint32_t i = 0; i < base_.synsets.size(); ++i) vectors.push_back(of_synset(i));
        for (const auto& topic : added_.topics) {
            near_.clear();
            near_[topic_id(topic.subject)] = 1;
            vectors.push_back(packed());
        }
        return vectors;
    }

private:
    [[nodiscard]] result<void> check_topic_ids() const {
        std::unordered_set<std::uint32_t> ids;
        for (const auto& topic : added_.topics) {
            if (!ids.insert(topic_id(topic.subject)).second) {
                return error{errc::internal, "the ID of this topic is taken: " + topic.subject};
            }
        }
        return {};
    }

    std::vector<packed_concept> of_synset(std::uint32_t index) {
        near_.clear();
        near_[index] = 1;
        const auto& own = base_.synsets[index];
        climb(index, 1, 0);
        for (const auto& pointer : own.pointers) {
            const auto* const known =
                std::ranges::find(relations, pointer.symbol, &relation::symbol);
            if (known != relations.end()) raise(pointer.target, known->weight);
        }
        for (const auto& word : words_of(own.definition)) add_gloss_word(word);
        return packed();
    }

    void climb(std::uint32_t from, double weight, int steps) {
        if (steps == hypernym_steps_max) return;
        for (const auto& pointer : base_.synsets[from].pointers) {
            if (!leads_up(pointer.symbol)) continue;
            const auto here = weight * hypernym_factor;
            if (information_[pointer.target] >= information_min) raise(pointer.target, here);
            climb(pointer.target, here, steps + 1);
        }
    }

    void add_gloss_word(const std::string& word) {
        if (is_stop_word(word)) return;
        const auto candidates = read_word(words_, word);
        for (const auto& sense : candidates.senses) {
            const auto weight = gloss_weight * candidates.rarity * sense.weight;
            if (sense.vector_index < base_.synsets.size()) {
                near_[sense.vector_index] += weight;
            } else {
                const auto& topic = added_.topics[sense.vector_index - base_.synsets.size()];
                near_[topic_id(topic.subject)] += weight;
            }
        }
    }

    void raise(std::uint32_t id, double weight) {
        auto& known = near_[id];
        known = std::max(known, weight);
    }

    [[nodiscard]] double information(std::uint32_t id) const {
        return id < information_.size() ? information_[id] : subject_information;
    }

    /// The strongest of `near_`, each by its information squared, of length 1.
    [[nodiscard]] std::vector<packed_concept> packed() const {
        std::vector<std::pair<double, std::uint32_t>> strongest;
        for (const auto& [id, weight] : near_) {
            strongest.emplace_back(weight * information(id) * information(id), id);
        }
        std::sort(strongest.rbegin(), strongest.rend());
        strongest.resize(std::min(strongest.size(), components_max));
        double squares = 0;
        for (const auto& [weight, id] : strongest) squares += weight * weight;
        std::vector<packed_concept> vector;
        for (const auto& [weight, id] : strongest) {
            const auto scaled = std::lround(weight / std::sqrt(squares) * 255);
            if (scaled > 0) {
                vector.push_back(packed_concept::of(id, static_cast<std::uint8_t>(scaled)));
            }
        }
        return vector;
    }

    const wordnet& base_;
    const topic_list& added_;
    const lexicon& words_;
    std::vector<double> information_;
    std::unordered_map<std::uint32_t, double> near_;
};

}  // namespace

void measure_rarity(lexicon_builder& draft, const wordnet& base) {
    std::unordered_map<std::string, std::uint32_t> glosses_with;
    for (const auto& synset : base.synsets) {
        std::unordered_set<std::string> gloss_words;
        for (const auto& word : words_of(synset.definition + ' ' + synset.examples)) {
            gloss_words.insert(word);
            for (auto& form : base_candidates(word)) gloss_words.insert(std::move(form.text));
        }
        for (const auto& word : gloss_words) ++glosses_with[word];
    }
    const auto all = std::log(static_cast<double>(base.synsets.size()));
    for (auto& [word, entry] : draft) {
        const auto glosses = glosses_with.find(word);
        const auto count = glosses == glosses_with.end() ? 0 : glosses->second;
        entry.rarity = static_cast<float>(1 - std::log(count + 1.0) / all);
    }
}

result<sense_vectors> build_vectors(
    const wordnet& base, const topic_list& added, const lexicon& words) {
    return vector_builder{base, added, words}.build();
}

}  // namespace reelsd::model
