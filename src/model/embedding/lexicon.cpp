#include "lexicon.hpp"

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace reelsd::model {

namespace {

using lexicon_format::entry_head_words;
using lexicon_format::header;
using lexicon_format::header_words;

error unusable(const std::string& why) {
    return error{errc::internal, "the dictionary of the local embedder " + why};
}

header header_of(std::span<const std::uint32_t> words) noexcept {
    header head;
    std::memcpy(static_cast<void*>(&head), words.data(), sizeof head);
    return head;
}

/// Whether the slots and vector offsets of the header are inside the file. Entries and vectors are
/// checked when they are read.
bool is_whole(std::span<const std::uint32_t> words) noexcept {
    if (words.size() < header_words) return false;
    const auto head = header_of(words);
    const auto fits = [&](std::uint64_t begin, std::uint64_t count) {
        return begin + count <= words.size();
    };
    return head.magic == lexicon_format::magic && head.words == words.size() &&
           std::has_single_bit(head.slot_count) && fits(head.slots, head.slot_count) &&
           fits(head.vectors, std::uint64_t{head.vector_count} + 1);
}

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

result<lexicon> lexicon::open(const std::filesystem::path& file) {
    namespace interprocess = boost::interprocess;
    try {
        const interprocess::file_mapping mapping{file.c_str(), interprocess::read_only};
        auto region =
            std::make_shared<interprocess::mapped_region>(mapping, interprocess::read_only);
        // Look-ups are random; reading ahead would only fill memory.
        region->advise(interprocess::mapped_region::advice_random);
        const std::span words{
            static_cast<const std::uint32_t*>(region->get_address()),
            region->get_size() / sizeof(std::uint32_t)};
        if (is_whole(words)) return lexicon{std::move(region), words};
        return unusable("is damaged or of another version: " + file.string());
    } catch (const interprocess::interprocess_exception& failure) {
        return unusable("cannot be opened: " + file.string() + ": " + failure.what());
    }
}

result<lexicon> lexicon::from(std::vector<std::uint32_t> words) {
    if (!is_whole(words)) return unusable("is damaged");
    const auto storage = std::make_shared<const std::vector<std::uint32_t>>(std::move(words));
    return lexicon{storage, *storage};
}

std::optional<lexicon_entry> lexicon::entry_at(std::uint32_t offset) const noexcept {
    if (offset < header_words || std::size_t{offset} + entry_head_words > words_.size()) return {};
    const auto head = words_[offset];
    const std::size_t senses = (head >> 8U) & 255U;
    const std::size_t bases = (head >> 16U) & 255U;
    const auto rest = words_.subspan(offset + entry_head_words);
    if (rest.size() < senses + bases) return {};

    lexicon_entry entry;
    entry.rarity = static_cast<float>(head >> 24U) / 255.0F;
    for (std::size_t part = 0; part < entry.counts.size(); ++part) {
        const auto pair = words_[offset + 1 + part / 2];
        entry.counts[part] = static_cast<std::uint16_t>(part % 2 == 0 ? pair : pair >> 16U);
    }
    static_assert(sizeof(packed_sense) == sizeof(std::uint32_t));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): one word each, see the format
    entry.senses = {reinterpret_cast<const packed_sense*>(rest.data()), senses};
    entry.bases = rest.subspan(senses, bases);
    return entry;
}

std::optional<lexicon_entry> lexicon::find(std::string_view word) const noexcept {
    const auto head = header_of(words_);
    const auto mask = head.slot_count - 1;
    // Every search ends at an empty slot; the bound is for a damaged file.
    for (std::uint32_t probe = 0; probe < head.slot_count; ++probe) {
        const auto slot = (lexicon_format::hash(word) + probe) & mask;
        const auto offset = words_[head.slots + slot];
        if (offset == 0) return {};
        const auto entry = entry_at(offset);
        if (!entry) return {};
        const std::size_t length = words_[offset] & 255U;
        const auto text_words = std::span{entry->bases}.size();
        const auto begin = offset + entry_head_words + entry->senses.size() + text_words;
        if ((begin * 4) + length > words_.size_bytes()) return {};
        if (length == word.size() && std::memcmp(&words_[begin], word.data(), length) == 0) {
            return entry;
        }
    }
    return {};
}

std::optional<lexicon::base_form> lexicon::base(std::uint32_t packed) const noexcept {
    auto entry = entry_at(packed >> 2U);
    if (!entry) return {};
    return base_form{*entry, static_cast<sense_group>(packed & 3U)};
}

std::span<const packed_concept> lexicon::vector_of(std::uint32_t index) const noexcept {
    const auto head = header_of(words_);
    if (index >= head.vector_count) return {};
    const auto begin = words_[head.vectors + index];
    const auto end = words_[head.vectors + index + 1];
    if (begin > end || end > words_.size()) return {};
    const auto vector = words_.subspan(begin, end - begin);
    static_assert(sizeof(packed_concept) == sizeof(std::uint32_t));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): one word each, see the format
    return {reinterpret_cast<const packed_concept*>(vector.data()), vector.size()};
}

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
