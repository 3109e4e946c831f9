#include "lexicon_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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
result<std::vector<packed_sense>> senses_of(const lexicon_builder& draft, const term& term) {
    const auto each = term_weight / std::sqrt(static_cast<double>(term.explanation.size()));
    std::vector<packed_sense> senses;
    for (const auto& word : term.explanation) {
        const auto main = main_senses(draft, word);
        if (main.empty()) {
            return error{errc::internal, term.word + " is explained by an unknown: " + word};
        }
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

result<void> add_terms(lexicon_builder& draft, const topic_list& added) {
    for (const auto& term : added.terms) {
        const auto senses = senses_of(draft, term);
        if (!senses) return senses.error();
        auto& known = draft[joined(term.word)].senses;
        for (const auto sense : *senses) add_sense(known, sense);
    }
    return {};
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

}  // namespace

result<lexicon_builder> build_lexicon(const wordnet& base, const topic_list& added) {
    lexicon_builder draft;
    add_lemmas(draft, base);
    add_exceptions(draft, base);
    add_topics(draft, added, static_cast<std::uint32_t>(base.synsets.size()));
    if (const auto explained = add_terms(draft, added); !explained) return explained.error();
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

}  // namespace reelsd::model
