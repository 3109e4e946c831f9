#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace reelsd::fuzz {

/// Makes answers that are almost those of a corpus: joined, cut, changed byte by byte, or taken
/// apart as JSON, changed there, and written down again in an unusual way. The same seed and number
/// make the same answer.
class answer_maker {
public:
    /// `corpus` is not empty.
    answer_maker(std::uint64_t seed, std::vector<std::string> corpus)
        : seed_{seed}, corpus_{std::move(corpus)} {}

    /// The answer of this number. Those up to the size of the corpus are the corpus itself.
    [[nodiscard]] std::string make(std::size_t number);

    [[nodiscard]] std::size_t corpus_size() const noexcept { return corpus_.size(); }

private:
    [[nodiscard]] const std::string& any_of_corpus();
    void change_bytes(std::string& text);
    void join(std::string& text);

    std::uint64_t seed_;
    std::vector<std::string> corpus_;
    std::mt19937_64 dice_;
};

/// Changes one JSON value that stands somewhere in `text`, as it is or as a JSON string inside of
/// JSON. False when none was found; `text` is then unchanged.
bool change_json(std::string& text, std::mt19937_64& dice);

/// 0 to `end` - 1; `end` is at least 1.
[[nodiscard]] inline std::size_t below(std::size_t end, std::mt19937_64& dice) {
    return dice() % end;
}

/// Names that mean something to some parser, and a few that look like it.
[[nodiscard]] const std::string& any_name(std::mt19937_64& dice);

}  // namespace reelsd::fuzz
