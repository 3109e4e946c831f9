#include "lexicon_builder.hpp"

#include "../words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace reelsd::model {

namespace {

constexpr std::size_t senses_max = 3;       // Per part of speech; later ones are rare.
constexpr double rank_exponent = 1.5;       // How fast later senses count less.
constexpr std::size_t word_bytes_max = 60;  // Longer lemmas are mostly names of species.
constexpr std::uint32_t count_max = 60'000;
// A topic counts as much as WordNet's senses of a word; several topics of a word share that.
constexpr double topic_weight = 1.0;
constexpr double term_weight = 0.8;

std::uint8_t quantised(double weight) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(weight, 0.0, 1.0) * 255));
}

/// "push-up" and "ice cream" are written "push_up" and "ice_cream", as a text's words are joined.
std::string joined(std::string text) {
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

bool is_kept(const std::string& lemma) {
    return lemma.size() <= word_bytes_max && std::count(lemma.begin(), lemma.end(), '_') <= 1;
}

void add_senses(lexicon_builder_entry& entry, std::size_t part, const std::vector<sense>& senses) {
    const auto count = std::min(senses.size(), senses_max);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += 1 / std::pow(static_cast<double>(i + 1), rank_exponent);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto weight = 1 / std::pow(static_cast<double>(i + 1), rank_exponent) / sum;
        entry.senses.push_back(
            packed_sense::of(senses[i].synset, static_cast<sense_group>(part), quantised(weight)));
    }
    for (const auto& sense : senses) {
        entry.counts[part] = std::min(entry.counts[part] + sense.count, count_max);
    }
}

void add_lemmas(lexicon_builder& draft, const wordnet& base) {
    for (const auto& [lemma, senses] : base.lemmas) {
        auto key = joined(lemma);
        if (!is_kept(key)) continue;
        auto& entry = draft[std::move(key)];
        for (std::size_t part = 0; part < parts_of_speech; ++part) {
            // "co-op" and "coop" differ; "e_mail" and "e-mail" do not, and the first one remains.
            if (entry.counts[part] == 0) add_senses(entry, part, senses[part]);
        }
    }
}

void add_exceptions(lexicon_builder& draft, const wordnet& base) {
    for (std::size_t part = 0; part < parts_of_speech; ++part) {
        for (const auto& [form, bases] : base.exceptions[part]) {
            const auto key = joined(form);
            if (!is_kept(key)) continue;
            for (const auto& base_word : bases) {
                const auto target = joined(base_word);
                if (target == key || !draft.contains(target)) continue;
                draft[key].bases.emplace_back(target, static_cast<sense_group>(part));
            }
        }
    }
}

void add_topics(lexicon_builder& draft, const topic_list& added, std::uint32_t first_index) {
    std::map<std::string, std::vector<std::uint32_t>> topics_of;
    for (std::size_t i = 0; i < added.topics.size(); ++i) {
        for (const auto& word : added.topics[i].words) {
            auto& listed = topics_of[joined(word)];
            const auto index = first_index + static_cast<std::uint32_t>(i);
            if (listed.empty() || listed.back() != index) listed.push_back(index);
        }
    }
    for (const auto& [word, topics] : topics_of) {
        const auto each = topic_weight / std::sqrt(static_cast<double>(topics.size()));
        for (const auto index : topics) {
            draft[word].senses.push_back(
                packed_sense::of(index, sense_group::added, quantised(each)));
        }
    }
}

/// The most frequent sense of a word and its added ones; empty for an unknown word.
std::vector<packed_sense> main_senses(const lexicon_builder& draft, const std::string& word) {
    const auto entry = draft.find(joined(word));
    if (entry == draft.end() || entry->second.senses.empty()) return {};
    const auto& counts = entry->second.counts;
    const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
    std::vector<packed_sense> senses;
    for (const auto sense : entry->second.senses) {
        const bool is_main = static_cast<std::ptrdiff_t>(sense.group()) == most;
        if (is_main && senses.empty()) senses.push_back(sense);
        if (sense.group() == sense_group::added) senses.push_back(sense);
    }
    if (senses.empty()) senses.push_back(entry->second.senses.front());
    return senses;
}

/// The senses of the words that explain a term, with their shares.
std::vector<packed_sense> senses_of(const lexicon_builder& draft, const word_group& term) {
    const auto each = term_weight / std::sqrt(static_cast<double>(term.words.size()));
    std::vector<packed_sense> senses;
    for (const auto& word : term.words) {
        const auto main = main_senses(draft, word);
        if (main.empty())
            throw std::runtime_error{term.name + " is explained by an unknown: " + word};
        for (const auto sense : main) {
            const double topical = sense.group() == sense_group::added ? 0.5 : 1.0;
            senses.push_back(packed_sense::of(
                sense.vector_index(), sense_group::added, quantised(each * topical)));
        }
    }
    return senses;
}

void add_sense(std::vector<packed_sense>& known, packed_sense sense) {
    const bool is_known = std::ranges::any_of(known, [sense](packed_sense other) {
        return other.vector_index() == sense.vector_index() && other.group() == sense.group();
    });
    if (!is_known) known.push_back(sense);
}

void add_terms(lexicon_builder& draft, const topic_list& added) {
    for (const auto& term : added.terms) {
        const auto senses = senses_of(draft, term);
        auto& known = draft[joined(term.name)].senses;
        for (const auto sense : senses) add_sense(known, sense);
    }
}

void append_text(std::vector<std::uint32_t>& image, std::string_view text) {
    const auto begin = image.size();
    image.resize(begin + (text.size() + 3) / 4);
    std::memcpy(&image[begin], text.data(), text.size());
}

void append_entry(
    std::vector<std::uint32_t>& image, const std::string& text, const lexicon_builder_entry& entry,
    const std::map<std::string, std::uint32_t>& offsets) {
    const auto senses = std::min<std::size_t>(entry.senses.size(), 255);
    const auto bases = std::min<std::size_t>(entry.bases.size(), 255);
    image.push_back(
        static_cast<std::uint32_t>(text.size() | (senses << 8U) | (bases << 16U)) |
        (static_cast<std::uint32_t>(quantised(entry.rarity)) << 24U));
    image.push_back(entry.counts[0] | (entry.counts[1] << 16U));
    image.push_back(entry.counts[2] | (entry.counts[3] << 16U));
    for (std::size_t i = 0; i < senses; ++i) image.push_back(entry.senses[i].bits);
    for (std::size_t i = 0; i < bases; ++i) {
        const auto& [base, group] = entry.bases[i];
        image.push_back((offsets.at(base) << 2U) | static_cast<std::uint32_t>(group));
    }
    append_text(image, text);
}

std::uint32_t entry_words(const std::string& text, const lexicon_builder_entry& entry) {
    return static_cast<std::uint32_t>(
        lexicon_format::entry_head_words + std::min<std::size_t>(entry.senses.size(), 255) +
        std::min<std::size_t>(entry.bases.size(), 255) + (text.size() + 3) / 4);
}

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
        const auto part = base.synsets[i].part;
        const auto all = static_cast<double>(base.begins[part + 1] - base.begins[part]);
        information[i] = (1 - std::log(below[i] + 1.0) / std::log(all)) * part_factors[part];
    }
    return information;
}

class vector_builder {
public:
    vector_builder(const wordnet& base, const topic_list& added, const lexicon& words)
        : base_{base}, added_{added}, words_{words}, information_{information_of(base)} {}

    sense_vectors build() {
        check_topic_ids();
        sense_vectors vectors;
        for (std::uint32_t i = 0; i < base_.synsets.size(); ++i) vectors.push_back(of_synset(i));
        for (const auto& topic : added_.topics) {
            near_.clear();
            near_[topic_id(topic.name)] = 1;
            vectors.push_back(packed());
        }
        return vectors;
    }

private:
    void check_topic_ids() const {
        std::unordered_set<std::uint32_t> ids;
        for (const auto& topic : added_.topics) {
            if (!ids.insert(topic_id(topic.name)).second)
                throw std::runtime_error{"the ID of this topic is taken: " + topic.name};
        }
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
                near_[topic_id(topic.name)] += weight;
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

lexicon_builder build_lexicon(const wordnet& base, const topic_list& added) {
    lexicon_builder draft;
    add_lemmas(draft, base);
    add_exceptions(draft, base);
    add_topics(draft, added, static_cast<std::uint32_t>(base.synsets.size()));
    add_terms(draft, added);
    return draft;
}

std::vector<std::uint32_t> lexicon_image(
    const lexicon_builder& draft, const sense_vectors& vectors) {
    using namespace lexicon_format;
    header head;
    head.slots = header_words;
    // At most half full: a search ends after one or two probes.
    head.slot_count = static_cast<std::uint32_t>(std::bit_ceil(2 * draft.size() + 2));
    std::vector<std::uint32_t> image(header_words + head.slot_count);

    std::map<std::string, std::uint32_t> offsets;
    auto next = static_cast<std::uint32_t>(image.size());
    for (const auto& [text, entry] : draft) {
        offsets.emplace(text, next);
        next += entry_words(text, entry);
    }
    for (const auto& [text, entry] : draft) {
        const auto offset = static_cast<std::uint32_t>(image.size());
        auto slot = hash(text) & (head.slot_count - 1);
        while (image[header_words + slot] != 0) slot = (slot + 1) & (head.slot_count - 1);
        image[header_words + slot] = offset;
        append_entry(image, text, entry, offsets);
    }

    head.vectors = static_cast<std::uint32_t>(image.size());
    head.vector_count = static_cast<std::uint32_t>(vectors.size());
    auto begin = head.vectors + head.vector_count + 1;
    for (const auto& vector : vectors) {
        image.push_back(begin);
        begin += static_cast<std::uint32_t>(vector.size());
    }
    image.push_back(begin);
    for (const auto& vector : vectors) {
        for (const auto component : vector) image.push_back(component.bits);
    }
    head.words = static_cast<std::uint32_t>(image.size());
    std::memcpy(image.data(), &head, sizeof head);
    return image;
}

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

sense_vectors build_vectors(const wordnet& base, const topic_list& added, const lexicon& words) {
    return vector_builder{base, added, words}.build();
}

}  // namespace reelsd::model
