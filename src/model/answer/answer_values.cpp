#include "answer_values.hpp"

#include <reelsd/base/text.hpp>

#include <array>
#include <charconv>
#include <vector>

namespace reelsd::model {

namespace {

// "01:02:03.456 seconds" has 20 characters; longer text is prose.
constexpr std::size_t time_characters_max = 40;
constexpr std::size_t digits_max = 9;

// Blanks, brackets and "about".
constexpr std::string_view around_time = " \n\t\r[](){}<>~";

/// Removes digits with an optional fraction, after a dot or a comma, from the front of `text`.
std::optional<double> take_number(std::string_view& text) {
    std::size_t whole = 0;
    while (whole < text.size() && is_digit(text[whole])) ++whole;
    if (whole == 0 || whole > digits_max) return std::nullopt;
    double value = 0;
    std::from_chars(text.data(), text.data() + whole, value);
    text.remove_prefix(whole);
    const bool fraction =
        text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1]);
    if (!fraction) return value;
    text.remove_prefix(1);
    for (double place = 0.1; !text.empty() && is_digit(text.front()); place /= 10) {
        value += place * (text.front() - '0');
        text.remove_prefix(1);
    }
    return value;
}

struct unit {
    std::string_view name;
    double seconds;
};

constexpr auto units = std::to_array<unit>({
    {"h", 3600},
    {"hr", 3600},
    {"hour", 3600},
    {"hours", 3600},
    {"m", 60},
    {"min", 60},
    {"mins", 60},
    {"minute", 60},
    {"minutes", 60},
    {"s", 1},
    {"sec", 1},
    {"secs", 1},
    {"second", 1},
    {"seconds", 1},
    {"ms", 0.001},
});

/// Removes a unit's name and returns its seconds; 1 without a name, nothing for another word.
std::optional<double> take_unit(std::string_view& text) {
    std::size_t letters = 0;
    while (letters < text.size() && is_alpha(text[letters])) ++letters;
    const auto name = text.substr(0, letters);
    text.remove_prefix(letters);
    if (name.empty()) return 1;
    const auto* const known = std::ranges::find(units, name, &unit::name);
    if (known == units.end()) return std::nullopt;
    return known->seconds;
}

void skip_blanks(std::string_view& text) noexcept {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

/// "90", "1m30s", "1 min 30".
std::optional<double> sum_of_units(std::string_view text) {
    double sum = 0;
    while (!text.empty()) {
        const auto number = take_number(text);
        if (!number) return std::nullopt;
        skip_blanks(text);
        const auto seconds = take_unit(text);
        if (!seconds) return std::nullopt;
        skip_blanks(text);
        sum += *number * *seconds;
    }
    return sum;
}

parsed_time clamped_time(double seconds, double duration) noexcept {
    return {
        .seconds = std::clamp(seconds, 0.0, duration),
        .past_end_seconds = fits_within(seconds, duration) ? 0 : seconds - duration};
}

/// The numbers between colons, the last one with an optional fraction; empty for other text.
std::vector<double> colon_parts(std::string_view text) {
    std::vector<double> parts;
    for (;;) {
        const auto number = take_number(text);
        if (!number) return {};
        parts.push_back(*number);
        if (text.empty()) return parts;
        if (text.front() != ':') return {};
        text.remove_prefix(1);
    }
}

std::optional<parsed_time> read_clock(std::string_view text, double duration) {
    const auto parts = colon_parts(text);
    if (parts.size() == 2) return clamped_time(parts[0] * 60 + parts[1], duration);
    if (parts.size() == 3) {
        const auto seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
        // MM:SS:ff; the frames make less than a second, at whatever rate.
        const auto with_frames = parts[0] * 60 + parts[1] + parts[2] / 100;
        const bool frames = !fits_within(seconds, duration) && parts[1] < 60 && parts[2] < 100 &&
                            fits_within(with_frames, duration);
        return clamped_time(frames ? with_frames : seconds, duration);
    }
    if (parts.size() == 4) {  // H:MM:SS:ff
        return clamped_time(parts[0] * 3600 + parts[1] * 60 + parts[2], duration);
    }
    return std::nullopt;
}

}  // namespace

double usable_duration(double seconds) noexcept {
    return std::isfinite(seconds) ? std::max(seconds, 0.0) : 0;
}

std::optional<parsed_time> read_time(double number, double duration_seconds) {
    if (!std::isfinite(number)) return std::nullopt;
    const auto duration = usable_duration(duration_seconds);
    if (!fits_within(number, duration) && number == std::floor(number)) {
        const auto minutes = std::floor(number / 100);
        const auto seconds = number - minutes * 100;
        const auto spelled = minutes * 60 + seconds;
        if (minutes >= 1 && seconds < 60 && fits_within(spelled, duration)) {
            return clamped_time(spelled, duration);
        }
    }
    return clamped_time(number, duration);
}

std::optional<parsed_time> read_time(std::string_view text, double duration_seconds) {
    text = trimmed(text, around_time);
    if (text.empty() || text.size() > time_characters_max) return std::nullopt;
    const auto duration = usable_duration(duration_seconds);
    if (text.find(':') != std::string_view::npos) return read_clock(text, duration);
    if (text.front() == '-') {
        text.remove_prefix(1);
        return sum_of_units(text) ? std::optional{clamped_time(0, duration)} : std::nullopt;
    }
    const auto sum = sum_of_units(text);
    if (!sum) return std::nullopt;
    const bool digits = std::ranges::all_of(text, is_digit);
    return digits ? read_time(*sum, duration) : clamped_time(*sum, duration);
}

}  // namespace reelsd::model
