#include "time_text.hpp"

#include "../time_signs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace reelsd::model {

namespace {

// "01:02:03.456 seconds" has 20 characters; what is longer is prose.
constexpr std::size_t time_characters_max = 40;
constexpr std::size_t digits_max = 9;

constexpr bool is_digit(char byte) noexcept {
    return byte >= '0' && byte <= '9';
}
constexpr bool is_letter(char byte) noexcept {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/// Blanks, brackets and signs of "about".
std::string_view bare(std::string_view text) noexcept {
    constexpr std::string_view around = " \n\t\r[](){}<>~";
    const auto first = text.find_first_not_of(around);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(around) - first + 1);
}

/// Takes digits with an optional fraction, after a dot or a comma, from the front of `text`.
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

/// Takes a unit's name; nothing when it is none. No name is seconds.
std::optional<double> take_unit(std::string_view& text) {
    std::size_t letters = 0;
    while (letters < text.size() && is_letter(text[letters])) ++letters;
    const auto name = text.substr(0, letters);
    text.remove_prefix(letters);
    if (name.empty()) return 1;
    const auto* const found = std::find_if(
        units.begin(), units.end(), [name](const unit& one) { return one.name == name; });
    if (found == units.end()) return std::nullopt;
    return found->seconds;
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

bool fits(double seconds, double duration) noexcept {
    return seconds <= duration + past_end_seconds_tolerated;
}

parsed_time settled(double seconds, double duration) noexcept {
    return {
        .seconds = std::clamp(seconds, 0.0, duration),
        .past_end_seconds = fits(seconds, duration) ? 0 : seconds - duration};
}

/// The numbers between colons, the last one perhaps with a fraction; empty when it is no such time.
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
    if (parts.size() == 2) return settled(parts[0] * 60 + parts[1], duration);
    if (parts.size() == 3) {
        const auto seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
        // MM:SS:ff; the frames make less than a second, at whatever rate.
        const auto with_frames = parts[0] * 60 + parts[1] + parts[2] / 100;
        const bool frames = !fits(seconds, duration) && parts[1] < 60 && parts[2] < 100 &&
                            fits(with_frames, duration);
        return settled(frames ? with_frames : seconds, duration);
    }
    if (parts.size() == 4) {  // H:MM:SS:ff
        return settled(parts[0] * 3600 + parts[1] * 60 + parts[2], duration);
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
    if (!fits(number, duration) && number == std::floor(number)) {
        const auto minutes = std::floor(number / 100);
        const auto seconds = number - minutes * 100;
        const auto spelled = minutes * 60 + seconds;
        if (minutes >= 1 && seconds < 60 && fits(spelled, duration)) {
            return settled(spelled, duration);
        }
    }
    return settled(number, duration);
}

std::optional<parsed_time> read_time(std::string_view text, double duration_seconds) {
    text = bare(text);
    if (text.empty() || text.size() > time_characters_max) return std::nullopt;
    const auto duration = usable_duration(duration_seconds);
    if (text.find(':') != std::string_view::npos) return read_clock(text, duration);
    if (text.front() == '-') {
        text.remove_prefix(1);
        return sum_of_units(text) ? std::optional{settled(0, duration)} : std::nullopt;
    }
    const auto sum = sum_of_units(text);
    if (!sum) return std::nullopt;
    const bool digits = std::all_of(text.begin(), text.end(), is_digit);
    return digits ? read_time(*sum, duration) : settled(*sum, duration);
}

}  // namespace reelsd::model
