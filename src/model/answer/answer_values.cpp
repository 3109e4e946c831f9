#include "answer_values.hpp"

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
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

bool fits(double seconds, double duration) noexcept {
    return seconds <= duration + past_end_seconds_tolerated;
}

parsed_time clamped_time(double seconds, double duration) noexcept {
    return {
        .seconds = std::clamp(seconds, 0.0, duration),
        .past_end_seconds = fits(seconds, duration) ? 0 : seconds - duration};
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
        const bool frames = !fits(seconds, duration) && parts[1] < 60 && parts[2] < 100 &&
                            fits(with_frames, duration);
        return clamped_time(frames ? with_frames : seconds, duration);
    }
    if (parts.size() == 4) {  // H:MM:SS:ff
        return clamped_time(parts[0] * 3600 + parts[1] * 60 + parts[2], duration);
    }
    return std::nullopt;
}

// ISO 639-1, complete and sorted, for binary search.
// clang-format off
constexpr auto language_codes = std::to_array<std::string_view>({
    "aa", "ab", "ae", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bi",
    "bm", "bn", "bo", "br", "bs", "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da", "de",
    "dv", "dz", "ee", "el", "en", "eo", "es", "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr", "fy",
    "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi", "ho", "hr", "ht", "hu", "hy", "hz", "ia",
    "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "ja", "jv", "ka", "kg", "ki", "kj", "kk",
    "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la", "lb", "lg", "li", "ln", "lo",
    "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr", "ms", "mt", "my", "na", "nb", "nd",
    "ne", "ng", "nl", "nn", "no", "nr", "nv", "ny", "oc", "oj", "om", "or", "os", "pa", "pi", "pl",
    "ps", "pt", "qu", "rm", "rn", "ro", "ru", "rw", "sa", "sc", "sd", "se", "sg", "si", "sk", "sl",
    "sm", "sn", "so", "sq", "sr", "ss", "st", "su", "sv", "sw", "ta", "te", "tg", "th", "ti", "tk",
    "tl", "tn", "to", "tr", "ts", "tt", "tw", "ty", "ug", "uk", "ur", "uz", "ve", "vi", "vo", "wa",
    "wo", "xh", "yi", "yo", "za", "zh", "zu",
});
// clang-format on
static_assert(std::ranges::is_sorted(language_codes));

struct language_name {
    std::string_view name;
    std::string_view code;
};

// What models write instead of the code: three letters (ISO 639-2 and 639-3), withdrawn codes and
// English names, of languages that are spoken in reels. Sorted.
constexpr auto language_names = std::to_array<language_name>({
    {"ara", "ar"},        {"arabic", "ar"},     {"ben", "bn"},        {"bengali", "bn"},
    {"ces", "cs"},        {"chi", "zh"},        {"chinese", "zh"},    {"cmn", "zh"},
    {"czech", "cs"},      {"dan", "da"},        {"danish", "da"},     {"deu", "de"},
    {"dutch", "nl"},      {"ell", "el"},        {"eng", "en"},        {"english", "en"},
    {"fas", "fa"},        {"fil", "tl"},        {"filipino", "tl"},   {"fin", "fi"},
    {"finnish", "fi"},    {"fra", "fr"},        {"fre", "fr"},        {"french", "fr"},
    {"ger", "de"},        {"german", "de"},     {"greek", "el"},      {"guj", "gu"},
    {"gujarati", "gu"},   {"heb", "he"},        {"hebrew", "he"},     {"hin", "hi"},
    {"hindi", "hi"},      {"hun", "hu"},        {"hungarian", "hu"},  {"in", "id"},
    {"ind", "id"},        {"indonesian", "id"}, {"ita", "it"},        {"italian", "it"},
    {"iw", "he"},         {"japanese", "ja"},   {"ji", "yi"},         {"jpn", "ja"},
    {"kan", "kn"},        {"kannada", "kn"},    {"kor", "ko"},        {"korean", "ko"},
    {"malay", "ms"},      {"malayalam", "ml"},  {"mandarin", "zh"},   {"mar", "mr"},
    {"marathi", "mr"},    {"msa", "ms"},        {"nld", "nl"},        {"nor", "no"},
    {"norwegian", "no"},  {"pan", "pa"},        {"persian", "fa"},    {"pol", "pl"},
    {"polish", "pl"},     {"por", "pt"},        {"portuguese", "pt"}, {"punjabi", "pa"},
    {"romanian", "ro"},   {"ron", "ro"},        {"rus", "ru"},        {"russian", "ru"},
    {"spa", "es"},        {"spanish", "es"},    {"swahili", "sw"},    {"swe", "sv"},
    {"swedish", "sv"},    {"tagalog", "tl"},    {"tam", "ta"},        {"tamil", "ta"},
    {"tel", "te"},        {"telugu", "te"},     {"tgl", "tl"},        {"tha", "th"},
    {"thai", "th"},       {"tur", "tr"},        {"turkish", "tr"},    {"ukr", "uk"},
    {"ukrainian", "uk"},  {"urd", "ur"},        {"urdu", "ur"},       {"vie", "vi"},
    {"vietnamese", "vi"}, {"yue", "zh"},        {"zho", "zh"},
});
static_assert(std::ranges::is_sorted(language_names, {}, &language_name::name));

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

std::optional<std::string> language_code_from(std::string_view text) {
    text = trimmed(text);
    const auto primary = ascii_lower(text.substr(0, text.find_first_of("-_ (,;/")));
    if (std::ranges::binary_search(language_codes, primary)) return primary;
    const auto* const named =
        std::ranges::lower_bound(language_names, primary, {}, &language_name::name);
    if (named == language_names.end() || named->name != primary) return std::nullopt;
    return std::string{named->code};
}

std::string language_name_of(std::string_view code) {
    // Names have more letters than codes.
    constexpr std::size_t code_letters_max = 3;
    const auto* const named =
        std::ranges::find_if(language_names, [code](const language_name& known) {
            return known.code == code && known.name.size() > code_letters_max;
        });
    if (named == language_names.end()) return {};
    std::string name{named->name};
    name.front() = static_cast<char>(name.front() - ('a' - 'A'));
    return name;
}

}  // namespace reelsd::model
