#pragma once

#include <reelsd/base/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The compiled dictionary of the local embedder: words, their senses, and for each sense a short
/// vector of concepts. One file, which wordnet_compiler writes and the daemon maps read-only.
namespace reelsd::model {

/// The part of speech of a sense. `added` senses, of topics.txt, belong to every form of a word.
enum class sense_group : std::uint8_t { noun, verb, adjective, adverb, added };
inline constexpr std::size_t sense_groups = 5;

/// A sense in 32 bits, from the top: weight (0-255), group (3 bits), index of its vector.
struct packed_sense {
    std::uint32_t bits = 0;

    static constexpr unsigned index_bits = 21;

    [[nodiscard]] constexpr std::uint32_t vector_index() const noexcept {
        return bits & ((1U << index_bits) - 1);
    }
    [[nodiscard]] constexpr sense_group group() const noexcept {
        return static_cast<sense_group>((bits >> index_bits) & 7U);
    }
    [[nodiscard]] constexpr float weight() const noexcept {
        return static_cast<float>(bits >> 24U) / 255.0F;
    }
    [[nodiscard]] static constexpr packed_sense of(
        std::uint32_t vector_index, sense_group group, std::uint8_t weight) noexcept {
        return {
            vector_index | (static_cast<std::uint32_t>(group) << index_bits) |
            (static_cast<std::uint32_t>(weight) << 24U)};
    }
};

/// One component of a vector in 32 bits: the concept's ID, then its weight (0-255).
struct packed_concept {
    std::uint32_t bits = 0;

    [[nodiscard]] constexpr std::uint32_t id() const noexcept { return bits >> 8U; }
    [[nodiscard]] constexpr float weight() const noexcept {
        return static_cast<float>(bits & 255U) / 255.0F;
    }
    [[nodiscard]] static constexpr packed_concept of(
        std::uint32_t id, std::uint8_t weight) noexcept {
        return {(id << 8U) | weight};
    }
};

/// One word of the dictionary; views into the lexicon.
struct lexicon_entry {
    /// 0 for a word that occurs everywhere, 1 for one that occurs nowhere.
    float rarity = 0;
    /// How often the word occurs as noun, verb, adjective, adverb.
    std::array<std::uint16_t, sense_groups - 1> counts{};
    std::span<const packed_sense> senses;
    /// Irregular base forms: offset of the entry, times 4, plus its part of speech.
    std::span<const std::uint32_t> bases;
};

/// Immutable, thread-safe.
class lexicon {
public:
    /// Maps the file. Errors: internal, with the path, when it is missing, cut short, or made by
    /// another version of the compiler.
    [[nodiscard]] static result<lexicon> open(const std::filesystem::path& file);
    /// The same from memory. Errors: internal.
    [[nodiscard]] static result<lexicon> from(std::vector<std::uint32_t> words);

    /// `word` in lower case, with "_" for spaces.
    [[nodiscard]] std::optional<lexicon_entry> find(std::string_view word) const noexcept;
    /// The entry of one of `lexicon_entry::bases`, and its part of speech.
    struct base_form {
        lexicon_entry entry;
        sense_group group = sense_group::noun;
    };
    [[nodiscard]] std::optional<base_form> base(std::uint32_t packed) const noexcept;
    /// The concepts of a sense, of length 1; empty for an unknown index.
    [[nodiscard]] std::span<const packed_concept> vector_of(std::uint32_t index) const noexcept;

private:
    lexicon(std::shared_ptr<const void> storage, std::span<const std::uint32_t> words) noexcept
        : storage_{std::move(storage)}, words_{words} {}

    [[nodiscard]] std::optional<lexicon_entry> entry_at(std::uint32_t offset) const noexcept;

    std::shared_ptr<const void> storage_;  ///< Owns `words_`.
    std::span<const std::uint32_t> words_;
};

/// A base form without a regular ending: "baking" -> "bake", a verb.
struct base_candidate {
    std::string text;
    sense_group group;
};

/// All candidates by WordNet's rules of detachment (morphy(7)), including non-words.
[[nodiscard]] std::vector<base_candidate> base_candidates(std::string_view word);

struct weighted_sense {
    std::uint32_t vector_index = 0;
    float weight = 0;
};

/// The senses of a word. The weights of WordNet's senses add up to 1, without added senses.
struct word_sense_candidates {
    float rarity = 0;  ///< 0-1, see lexicon_entry.
    std::vector<weighted_sense> senses;
};

/// Empty for a word that is unknown in every form. `word` in lower case.
[[nodiscard]] word_sense_candidates read_word(const lexicon& words, std::string_view word);

/// The same for a term of two words: "credit" "cards".
[[nodiscard]] word_sense_candidates read_pair(
    const lexicon& words, std::string_view first, std::string_view second);

/// The file, in 32-bit words of the machine's byte order (it is built where it is used):
///   header, hash slots, entries, vector offsets (one more than there are vectors), vectors.
/// Offsets count words from the start of the file. A slot is an entry's offset or 0. An entry is
///   text bytes | senses << 8 | bases << 16 | rarity (0-255) << 24,
///   counts of noun | verb << 16, of adjective | adverb << 16,
///   senses, bases, and the text, padded with zeros.
namespace lexicon_format {
inline constexpr std::uint32_t magic = 0x4C52'3031;  ///< Changes with the format.
struct header {
    std::uint32_t magic = lexicon_format::magic;
    std::uint32_t words = 0;       ///< Size of the whole file.
    std::uint32_t slots = 0;       ///< Offset of the slots.
    std::uint32_t slot_count = 0;  ///< A power of two.
    std::uint32_t vectors = 0;     ///< Offset of the vector offsets.
    std::uint32_t vector_count = 0;
};
inline constexpr std::size_t header_words = sizeof(header) / sizeof(std::uint32_t);
inline constexpr std::size_t entry_head_words = 3;

/// FNV-1a. Source: draft-eastlake-fnv.
[[nodiscard]] constexpr std::uint32_t hash(std::string_view text) noexcept {
    std::uint32_t value = 2166136261U;
    for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 16777619U;
    return value;
}
}  // namespace lexicon_format

}  // namespace reelsd::model
