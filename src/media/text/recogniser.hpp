#pragma once

#include "../neural/neural_model.hpp"
#include "../picture/sampling.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::media::text {

/// With less, a reading is doubtful: it is repeated, and a short one is not accepted.
inline constexpr double sure_confidence = 0.92;

struct line_reading {
    std::string text{};
    double confidence = 0;   ///< 0 to 1: mean of the characters'.
    bool is_spaced = false;  ///< Letters are far apart, as in "S A L E".
};

/// The characters of the network's classes from 1 on; class 0 is the blank.
class alphabet {
public:
    /// The last character is the space. Full-width forms, which Chinese text uses, and
    /// typographic marks become ASCII.
    explicit alphabet(std::vector<std::string> characters);

    [[nodiscard]] std::size_t classes() const { return characters_.size() + 1; }
    [[nodiscard]] const std::string& of(std::size_t index) const { return characters_[index - 1]; }
    /// Class of the same letter in the other case; 0 if there is none.
    [[nodiscard]] std::size_t other_case(std::size_t index) const;

private:
    std::vector<std::string> characters_;
    std::array<std::size_t, 128> ascii_{};  ///< Classes of ASCII characters.
};

/// The most probable character of each step, repetitions and blanks removed. `steps`: probabilities
/// of all classes, step by step. Between two letters, a space needs little probability, because the
/// network was trained on Chinese, unless all letters are far apart. The confidence in a letter
/// includes its other case, which often has the same shape.
[[nodiscard]] line_reading decode(std::span<const float> steps, const alphabet& characters);

/// Reads single lines with PP-OCRv4's recognition network.
class recogniser {
public:
    recogniser(picture_model network, alphabet characters)
        : network_{std::move(network)}, characters_{std::move(characters)} {}

    /// The more confident of two readings, at different widths. Throws as the network does.
    line_reading read(const picture::view& frame, const picture::rotated_box& area);

private:
    line_reading read_at(
        const picture::view& frame, const picture::rotated_box& area, double share);

    picture_model network_;
    alphabet characters_;
    std::vector<float> input_;
};

}  // namespace reelsd::media::text
