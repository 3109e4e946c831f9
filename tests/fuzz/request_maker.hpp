#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::fuzz {

/// Generates nearly valid requests: those of a corpus and of a table, slightly changed, joined, or
/// composed of words that are known to some parser. The same seed gives the same requests.
class request_maker {
public:
    /// `corpus` is not empty.
    request_maker(std::uint64_t seed, std::vector<std::string> corpus)
        : corpus_{std::move(corpus)}, dice_{seed} {}

    /// The bytes of one connection; first those of the corpus, unchanged.
    [[nodiscard]] std::string next();

    /// 0 to `end` - 1; `end` is at least 1.
    [[nodiscard]] std::size_t number_below(std::size_t end) { return dice_() % end; }

private:
    [[nodiscard]] std::string composed();
    [[nodiscard]] std::string link();
    [[nodiscard]] std::string query();
    [[nodiscard]] std::string body();
    void change(std::string& bytes);

    std::vector<std::string> corpus_;
    std::size_t replayed_ = 0;  ///< Number of inputs of the corpus that were returned.
    std::mt19937_64 dice_;
};

}  // namespace reelsd::fuzz
