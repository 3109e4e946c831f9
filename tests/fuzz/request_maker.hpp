#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace reelsd::fuzz {

/// Makes requests that are almost right: whole ones from a table, changed a little, joined, or put
/// together from words that matter to some parser. The same seed makes the same requests.
class request_maker {
public:
    explicit request_maker(std::uint64_t seed) : dice_{seed} {}

    /// The bytes of one connection.
    [[nodiscard]] std::string next();

    /// 0 to `end` - 1; `end` is at least 1.
    [[nodiscard]] std::size_t number_below(std::size_t end) { return dice_() % end; }

private:
    [[nodiscard]] std::string composed();
    [[nodiscard]] std::string link();
    [[nodiscard]] std::string query();
    [[nodiscard]] std::string body();
    void change(std::string& bytes);

    std::mt19937_64 dice_;
};

}  // namespace reelsd::fuzz
