#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace reelsd::fuzz {

/// Generates answers similar to those of a corpus: joined, truncated, changed byte by byte, or
/// parsed as JSON, changed and serialised in an unusual form. Deterministic for a seed and a
/// number.
class answer_maker {
public:
    /// `corpus` is not empty.
    answer_maker(std::uint64_t seed, std::vector<std::string> corpus);

    /// The answer of this number. Those up to the size of the corpus are the corpus itself.
    [[nodiscard]] std::string make(std::size_t number);

    [[nodiscard]] std::size_t corpus_size() const noexcept { return corpus_.size(); }

private:
    [[nodiscard]] const std::string& any_of_corpus();
    void change_bytes(std::string& text);
    void join(std::string& text);

    std::uint64_t seed_;
    std::vector<std::string> corpus_;
    std::vector<std::string> words_;  ///< Quoted words of the corpus.
    std::mt19937_64 dice_;
};

enum class json_change : std::uint8_t {
    any,
    one_value,  ///< A number, a text or a truth value, to another one.
};

/// Changes one JSON document in `text`, which may be a string in another one; new names and texts
/// also come from `words`. False when there is none; `text` is then unchanged.
bool change_json(
    std::string& text, std::span<const std::string> words, json_change how, std::mt19937_64& dice);

/// 0 to `end` - 1; `end` is at least 1.
[[nodiscard]] inline std::size_t below(std::size_t end, std::mt19937_64& dice) {
    return dice() % end;
}

}  // namespace reelsd::fuzz
