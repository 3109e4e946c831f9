#include "concept_space.hpp"

#include "../words.hpp"
#include "word_senses.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace reelsd::model {

namespace {

// What is near a synset, and how near. Chosen on a made-up set of reels, see
// tests/bench/search_eval.
constexpr double hypernym_factor = 0.7;  // For each step up.
constexpr int hypernym_steps_max = 4;
constexpr double information_min = 0.35;  // What stands higher up is near everything.
constexpr double gloss_weight = 0.35;
constexpr std::size_t components_max = 24;  // Of a sense's vector: more would grow the file alone.

// What a part of speech tells about a subject, against a noun.
constexpr std::array<double, parts_of_speech> part_factors{1.0, 0.85, 0.8, 0.5};

// Ids of topics lie above those of all synsets and within 24 bits. They come from the name, so that
// they stay when other topics come and go: they are stored with each reel.
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
     {";c", 0.5},  // the field that it belongs to
     {"%p", 0.2},  // parts
     {"#p", 0.2},  // what it is a part of
     {"%s", 0.2},  // substances
     {"#s", 0.2},
     {"&", 0.6},    // like adjectives
     {"=", 0.4},    // what the adjective says something about
     {"\\", 0.6},   // the noun behind an adjective
     {"$", 0.6},    // like verbs
     {"*", 0.3},    // entails
     {">", 0.3},    // causes
     {"^", 0.3}});  // see also

bool leads_up(std::string_view symbol) {
    return symbol == "@" || symbol == "@i";
}

std::uint32_t topic_id(std::string_view name) {
    return topic_ids_begin + lexicon_format::hash(name) % (topic_ids_end - topic_ids_begin);
}

/// How much a synset tells: 1 for one with nothing below it, 0 for the root. Source: N. Seco et
/// al., An intrinsic information content metric, 2004.
std::vector<double> information_of(const wordnet& base) {
    std::vector<std::uint32_t> below(base.synsets.size());
    std::vector<std::uint32_t> above;  // A synset has a dozen, at most some thirty.
    for (std::uint32_t start = 0; start < base.synsets.size(); ++start) {
        above.assign(1, start);
        for (std::size_t at = 0; at < above.size(); ++at) {
            for (const auto& pointer : base.synsets[above[at]].pointers) {
                const bool met =
                    std::find(above.begin(), above.end(), pointer.target) != above.end();
                if (leads_up(pointer.symbol) && !met) above.push_back(pointer.target);
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
        if (const auto named = name_topics(); !named) return named.error();
        sense_vectors vectors;
        for (std::uint32_t i = 0; i < base_.synsets.size(); ++i) vectors.push_back(of_synset(i));
        for (const auto& one : added_.topics) {
            near_.clear();
            near_[topic_id(one.subject)] = 1;
            vectors.push_back(packed());
        }
        return vectors;
    }

private:
    result<void> name_topics() {
        for (const auto& one : added_.topics) {
            const auto id = topic_id(one.subject);
            if (!topic_ids_.insert(id).second) {
                return error{errc::internal, "the id of this topic is taken: " + one.subject};
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
            const auto* const found =
                std::find_if(relations.begin(), relations.end(), [&pointer](const relation& one) {
                    return one.symbol == pointer.symbol;
                });
            if (found != relations.end()) raise(pointer.target, found->weight);
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
        const auto read = read_word(words_, word);
        for (const auto& one : read.senses) {
            const auto weight = gloss_weight * read.rarity * one.weight;
            if (one.vector_index < base_.synsets.size()) {
                near_[one.vector_index] += weight;
            } else {
                const auto& subject = added_.topics[one.vector_index - base_.synsets.size()];
                near_[topic_id(subject.subject)] += weight;
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
        for (const auto& one : strongest) squares += one.first * one.first;
        std::vector<packed_concept> made;
        for (const auto& [weight, id] : strongest) {
            const auto scaled = std::lround(weight / std::sqrt(squares) * 255);
            if (scaled > 0) {
                made.push_back(packed_concept::of(id, static_cast<std::uint8_t>(scaled)));
            }
        }
        return made;
    }

    const wordnet& base_;
    const topic_list& added_;
    const lexicon& words_;
    std::vector<double> information_;
    std::unordered_set<std::uint32_t> topic_ids_;
    std::unordered_map<std::uint32_t, double> near_;
};

}  // namespace

void measure_rarity(lexicon_builder& draft, const wordnet& base) {
    std::unordered_map<std::string, std::uint32_t> glosses_with;
    for (const auto& one : base.synsets) {
        std::unordered_set<std::string> here;
        for (const auto& word : words_of(one.definition + ' ' + one.examples)) {
            here.insert(word);
            for (auto& form : base_candidates(word)) here.insert(std::move(form.text));
        }
        for (const auto& word : here) ++glosses_with[word];
    }
    const auto all = std::log(static_cast<double>(base.synsets.size()));
    for (auto& [word, entry] : draft) {
        const auto found = glosses_with.find(word);
        const auto count = found == glosses_with.end() ? 0 : found->second;
        entry.rarity = static_cast<float>(1 - std::log(count + 1.0) / all);
    }
}

result<sense_vectors> build_vectors(
    const wordnet& base, const topic_list& added, const lexicon& words) {
    return vector_builder{base, added, words}.build();
}

}  // namespace reelsd::model
