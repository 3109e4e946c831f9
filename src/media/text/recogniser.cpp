#include "recogniser.hpp"

#include <reelsd/base/utf8.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

namespace reelsd::media::text {
namespace {

// Of a space between two letters. Measured on 6,455 pairs of letters: 15 of 657 lines have wrong
// spaces, 19 with a probability of 0.02 alone.
constexpr float space_probability = 0.03F;
constexpr float wide_space_probability = 0.009F;  // Where they are further apart than most.
/// Steps between the letters of a spaced line, where most gaps look a little like a space.
constexpr int spaced_distance = 5;
constexpr float spaced_space_probability = 0.06F;
constexpr int input_height = 48;  // Pixels, as the network was trained.
/// Share of its width at which a line is read first: spaces and double letters are read better.
constexpr double narrow = 0.85;
constexpr int width_step = 16;
constexpr int width_max = 1280;  // About 60 letters. Bounds time and memory.

bool is_latin(std::string_view character) {
    return character.size() == 1 && std::isalnum(static_cast<unsigned char>(character[0])) != 0;
}

/// Not before the digits of "5:42" and "1,250".
bool may_have_space(std::string_view before, std::string_view after) {
    if (before == "," || before == ":")
        return after == "$" || (is_latin(after) && std::isalpha(after[0]) != 0);
    return (is_latin(before) || before == "%") && is_latin(after);
}

/// "A" for U+FF21, and so on for U+FF01 to U+FF5E; plain quotes, dashes and ellipses.
std::string narrowed(const std::string& character) {
    constexpr std::u32string_view marks = U"\u2018\u2019\u00b4\u201c\u201d\u2013\u2014";
    constexpr std::string_view plain = "'''\"\"--";
    const char32_t code = code_point_at(character, 0).value;
    if (const auto at = marks.find(code); at != marks.npos) return {plain[at]};
    if (code == U'\u2026') return "...";
    if (code < U'\uff01' || code > U'\uff5e') return character;
    return {static_cast<char>(code - U'\uff01' + '!')};
}

struct letter {
    std::string_view character{};
    double confidence = 0;
    float space_before = 0;  ///< Greatest probability of a space since the previous letter.
    int step = 0;
};

/// The most probable character of each step, repetitions and blanks removed.
std::vector<letter> letters_of(std::span<const float> steps, const alphabet& characters) {
    std::vector<letter> letters;
    std::size_t before = 0;  // Class of the previous step.
    float space = 0;
    for (int step = 0; steps.size() >= characters.classes(); ++step) {
        const auto values = steps.first(characters.classes());
        steps = steps.subspan(characters.classes());
        const auto best = static_cast<std::size_t>(
            std::max_element(values.begin(), values.end()) - values.begin());
        space = std::max(space, values.back());
        if (best != 0 && best != before) {
            double confidence = values[best];
            if (const auto other = characters.other_case(best)) confidence += values[other];
            letters.push_back({characters.of(best), confidence, std::exchange(space, 0.0F), step});
        }
        before = best;
    }
    return letters;
}

/// Median distance of neighbouring letters, in steps.
int usual_distance(std::span<const letter> letters) {
    std::vector<int> distances;
    for (std::size_t at = 1; at < letters.size(); ++at)
        distances.push_back(letters[at].step - letters[at - 1].step);
    const auto middle = distances.begin() + std::ssize(distances) / 2;
    std::nth_element(distances.begin(), middle, distances.end());
    return distances.empty() ? 0 : *middle;
}

}  // namespace

alphabet::alphabet(std::vector<std::string> characters) : characters_{std::move(characters)} {
    for (std::size_t i = 0; i < characters_.size(); ++i) {
        const auto first = static_cast<unsigned char>(characters_[i][0]);
        if (first < ascii_.size()) ascii_[first] = i + 1;
        characters_[i] = narrowed(characters_[i]);
    }
}

std::size_t alphabet::other_case(std::size_t index) const {
    const auto letter = static_cast<unsigned char>(of(index)[0]);
    return std::isalpha(letter) == 0 || letter >= ascii_.size() ? 0 : ascii_[letter ^ 0x20U];
}

line_reading decode(std::span<const float> steps, const alphabet& characters) {
    const auto letters = letters_of(steps, characters);
    const int usual = usual_distance(letters);
    line_reading line{.is_spaced = usual >= spaced_distance};
    letter last;
    for (const letter& each : letters) {
        float needed = space_probability;
        if (each.step - last.step > usual) needed = wide_space_probability;
        if (line.is_spaced) needed = spaced_space_probability;
        if (each.space_before >= needed && may_have_space(last.character, each.character))
            line.text += ' ';
        line.text += each.character;
        line.confidence += each.confidence / static_cast<double>(letters.size());
        last = each;
    }
    return line;
}

line_reading recogniser::read_at(
    const picture::view& frame, const picture::rotated_box& area, double share) {
    const double wide = area.width / area.height * input_height * share;
    const int width = std::clamp(
        static_cast<int>(std::ceil(wide / width_step)) * width_step, width_step, width_max);
    constexpr picture::normalization around_zero{.scale = 1 / 127.5F, .offset = -1};
    picture::sample(
        frame,
        {.area = area, .width = width, .height = input_height},
        {around_zero, around_zero, around_zero},
        input_);
    return decode(network_.run(input_, input_height, width).values, characters_);
}

line_reading recogniser::read(const picture::view& frame, const picture::rotated_box& area) {
    auto first = read_at(frame, area, narrow);
    if (first.confidence >= sure_confidence) return first;
    auto second = read_at(frame, area, 1);
    return second.confidence > first.confidence ? second : first;
}

}  // namespace reelsd::media::text
