#include "recogniser.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>

namespace reelsd::media::text {

namespace {

constexpr float space_probability = 0.02F;  // Measured: exact words 0.84 to 0.93.
constexpr int input_height = 48;            // Pixels, as the network was trained.
constexpr int width_step = 16;
constexpr int width_max = 1280;  // About 60 letters. Bounds time and memory.

bool is_latin(const std::string& character) {
    return character.size() == 1 && std::isalnum(static_cast<unsigned char>(character[0])) != 0;
}

/// Not before the digits of "5:42" and "1,250".
bool may_have_space(const std::string& before, const std::string& after) {
    if (before == "," || before == ":") return is_latin(after) && std::isalpha(after[0]) != 0;
    return is_latin(before) && is_latin(after);
}

/// "A" for U+FF21, and so on for U+FF01 to U+FF5E; plain quotes, dashes and ellipses.
std::string narrowed(const std::string& character) {
    static const std::map<std::string_view, std::string_view> plain{
        {"\u2018", "'"},
        {"\u2019", "'"},
        {"\u201c", "\""},
        {"\u201d", "\""},
        {"\u2013", "-"},
        {"\u2014", "-"},
        {"\u2026", "..."},
        {"\u00b4", "'"}};
    if (const auto known = plain.find(character); known != plain.end())
        return std::string{known->second};
    if (character.size() != 3 || character[0] != '\xEF') return character;
    const auto code = (static_cast<unsigned char>(character[1]) & 0x3FU) << 6U |
                      (static_cast<unsigned char>(character[2]) & 0x3FU);
    constexpr unsigned first = 0xF01;  // The lower bits of U+FF01.
    if (code < first || code > first + '~' - '!') return character;
    return {static_cast<char>('!' + code - first)};
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
    line_reading line;
    double confidence = 0;
    std::size_t count = 0;
    std::size_t before = 0;   // Class of the previous step.
    std::string last;         // The last character, or nothing.
    float space_between = 0;  // Greatest probability of a space since then.
    for (; steps.size() >= characters.classes(); steps = steps.subspan(characters.classes())) {
        const auto values = steps.first(characters.classes());
        const auto best = static_cast<std::size_t>(
            std::max_element(values.begin(), values.end()) - values.begin());
        space_between = std::max(space_between, values.back());
        if (best != 0 && best != before) {
            const std::string& character = characters.of(best);
            if (space_between >= space_probability && may_have_space(last, character))
                line.text += ' ';
            line.text += character;
            last = character;
            space_between = 0;
            confidence += values[best];
            if (const auto other = characters.other_case(best)) confidence += values[other];
            ++count;
        }
        before = best;
    }
    if (count > 0) line.confidence = confidence / static_cast<double>(count);
    return line;
}

line_reading recogniser::read(const rgb_frame& frame, const line_box& area) {
    const int wide = static_cast<int>(std::lround(area.width / area.height * input_height));
    const int width =
        std::clamp((wide + width_step - 1) / width_step * width_step, width_step, width_max);
    constexpr normalization around_zero{.scale = 1 / 127.5F, .offset = -1};
    sample(
        frame,
        {.area = area, .width = width, .height = input_height},
        {around_zero, around_zero, around_zero},
        input_);
    return decode(network_.run(input_, input_height, width).values, characters_);
}

}  // namespace reelsd::media::text
