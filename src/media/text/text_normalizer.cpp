#include "text_normalizer.hpp"

#include <reelsd/base/nearest.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <ranges>
#include <regex>
#include <utility>
#include <vector>

namespace reelsd::media::text {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (const auto word : std::views::split(text, ' '))
        if (!word.empty()) words.emplace_back(word.begin(), word.end());
    return words;
}

/// Letters and digits, in any script: in UTF-8, others than ASCII start with 0xC3 or more.
std::size_t letters_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0xC3; }));
}

std::string filtered(std::string_view text, const auto& is_kept) {
    std::string kept;
    std::ranges::copy_if(text, std::back_inserter(kept), is_kept);
    return kept;
}

/// Without spaces and marks other than `kept`, in small letters.
std::string plain_letters(std::string_view text, std::string_view kept = {}) {
    return ascii_lower(filtered(text, [&](char c) {
        return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80 ||
               kept.find(c) != kept.npos;
    }));
}

constexpr std::string_view value_marks = "+-%$#";  // "A+" and "A-" are two texts.

/// Whether digits and signs differ: another value, as in "Step 1" and "Step 2". A digit on one side
/// only may be a letter that was misread.
bool values_differ(std::string_view a, std::string_view b) {
    const auto is_value = [](char c) { return is_digit(c) || c == '+' || c == '-'; };
    const auto values = filtered(a, is_value);
    const auto others = filtered(b, is_value);
    return values.size() == others.size() && values != others;
}

/// 'A': capital, 'a': small letter, '~': of `same_shape`, ' ': the rest.
std::string kinds_of(std::string_view word, std::string_view same_shape = {}) {
    std::string kinds;
    for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        const char kind = std::isupper(byte) != 0 ? 'A' : std::islower(byte) != 0 ? 'a' : ' ';
        kinds += same_shape.find(c) != std::string_view::npos ? '~' : kind;
    }
    return kinds;
}

/// Capitals and marks where words have none. Not "YouTube", "iPhone", "TVs", "SUMMER25".
bool has_odd_form(const std::string& word) {
    static const std::regex name{"\\W*(i[A-Z]\\w+|(Mc|[A-Z]?[a-z][a-z]+)([A-Z][a-z][a-z]+)*)\\W*"};
    static const std::regex odd{"[a-z][A-Z]|[A-Z][A-Z][a-rt-z]|[A-Za-z][<>][A-Za-z]"};
    return !std::regex_match(word, name) && std::regex_search(word, odd);
}

/// One inner capital, as in names: "ChatGPT", "MrBeast's", "eBay", "WiFi". Cyrillic has it as well.
bool has_name_form(const std::string& word) {
    static const std::regex name{
        "\\W*([ei][A-Z]\\w+|[A-Z][a-z]+([A-Z]{2,}s?|X|Al|[A-Z][a-z]{2,})|([A-Z][a-z]){2}|PhD)"
        "(\\W+s?)*"};
    return std::regex_match(word, name);
}

/// The network reads the German sharp s, which it does not know, as B. Names and units with an
/// inner B remain: "TacoBell", "GiB".
std::string with_sharp_s(const std::string& word) {
    static const std::regex sharp_s{"(ei|ie|[aou])B(?=e[mnrs]?\\b|ball|t|\\W|$)"};
    if (word.find_first_of("@#.") < word.size() - 1) return word;  // Handles join words.
    std::string fixed = std::regex_replace(word, sharp_s, "$1ss");
    return has_odd_form(fixed) ? word : fixed;
}

/// Letters with the same shape in both cases take the case of the others in the word: "YEs" is
/// "YES", "yOu" is "you", "wOw" is "WOW". The first letter of a word in small letters stays.
std::string with_one_case(std::string_view word) {
    const std::string kinds = kinds_of(word, "ckopsuvwxzCKOPSUVWXZ");
    const bool has_small = kinds.find('a') != std::string::npos;
    if (has_small && has_name_form(std::string{word})) return std::string{word};
    const bool has_capitals = (has_small ? kinds : kinds_of(word)).find('A', 1) != kinds.npos;
    std::string fixed{word};
    if (has_small == has_capitals) return fixed;
    for (std::size_t at = has_small ? 1 : 0; at < fixed.size(); ++at) {
        const auto letter = static_cast<unsigned char>(fixed[at]);
        if (kinds[at] != '~') continue;
        fixed[at] = static_cast<char>(has_small ? std::tolower(letter) : std::toupper(letter));
    }
    return fixed;
}

/// A zero among capitals without other digits is an O, and a lone "l" is the word "I".
std::string with_letters(std::string word) {
    if (word == "l") return "I";
    const bool has_capitals = kinds_of(word).find('A') != std::string::npos;
    const bool has_others =
        word.find_first_of("123456789abcdefghijklmnopqrstuvwxyz") != std::string::npos;
    if (has_capitals && !has_others) std::replace(word.begin(), word.end(), '0', 'O');
    return word;
}

// Measured on clips with known text: below, more lines are invented than found.
constexpr double accepted_confidence = 0.80;
constexpr double chinese_confidence = 0.86;
constexpr std::string_view chinese_bytes = "\xE4\xE5\xE6\xE7\xE8\xE9";  // U+4000 to U+9FFF.

}  // namespace

bool same_text(std::string_view a, std::string_view b, double least) {
    const std::string letters = plain_letters(a, value_marks);
    if (!letters.empty() && letters == plain_letters(b, value_marks)) return true;
    const auto longer = static_cast<double>(std::max(a.size(), b.size()));
    const auto distance = static_cast<double>(edit_distances(a, b).back());
    return !values_differ(a, b) && distance <= (1 - least) * longer;
}

bool begins(std::string_view a, std::string_view b) {
    if (a.size() > b.size()) std::swap(a, b);
    const std::string sought = plain_letters(a, value_marks);
    std::string letters;
    for (const std::string_view word : words_of(b)) {
        letters += plain_letters(word, value_marks);
        if (letters == sought) return true;
    }
    return false;
}

std::optional<double> position_in(std::string_view part, std::string_view whole) {
    const std::string sought = plain_letters(part);
    const std::string letters = plain_letters(whole);
    if (sought.empty() || sought.size() >= letters.size()) return std::nullopt;
    const auto ends = edit_distances(sought, letters, true);
    const auto least = std::ranges::min_element(ends);
    const auto end = static_cast<std::size_t>(least - ends.begin());
    const std::size_t begin = end - std::min(end, sought.size());
    // "OVEN" is no part of "GAME OVER", nor "Step 1" of "Step 2: mix".
    if (*least * 5 >= sought.size() || values_differ(sought, letters.substr(begin, end - begin)))
        return std::nullopt;
    const double middle = static_cast<double>(end) - static_cast<double>(sought.size()) / 2;
    return middle / static_cast<double>(letters.size());
}

std::string tidied(const line_reading& reading) {
    std::string text = reading.text;
    auto words = words_of(text);
    const auto is_odd = [](std::string_view word) { return has_odd_form(std::string{word}); };
    if (reading.is_spaced && std::any_of(words.begin(), words.end(), is_odd))
        for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    // Emoji and pieces of the background.
    const auto is_speck = [](std::string_view word) {
        return letters_of(word) == 0 && word.find_first_not_of("!?&+%$") != std::string_view::npos;
    };
    while (!words.empty() && is_speck(words.back())) words.pop_back();
    while (!words.empty() && is_speck(words.front())) words.erase(words.begin());
    static const std::regex single_letters{"\\b[A-Z]( [A-Z]){2,}\\b"};
    std::string tidy;
    for (const std::string_view word : words) {
        if (!tidy.empty()) tidy += ' ';
        tidy += with_letters(with_sharp_s(with_one_case(word)));
    }
    std::smatch spaced;  // "S A L E"
    while (std::regex_search(tidy, spaced, single_letters)) {
        std::string joined_letters = spaced.str();
        std::erase(joined_letters, ' ');
        tidy.replace(spaced[0].first, spaced[0].second, joined_letters);
    }
    return tidy;
}

bool adds_digit(std::string_view line, std::string_view longer) {
    const auto at = longer.find(line);
    if (line.empty() || at == longer.npos || longer.size() == line.size()) return false;
    const auto before = longer.substr(0, at);
    const auto after = longer.substr(at + line.size());
    const bool is_digit_before = before.size() == 2 && is_digit(before[0]) && before[1] == ' ';
    const bool is_digit_after = after.size() == 2 && after[0] == ' ' && is_digit(after[1]);
    return (before.empty() || is_digit_before) && (after.empty() || is_digit_after);
}

bool is_lookalike(std::string_view text) {
    if (text.find_first_of("\xD0\xD1\xD2\xD3") != text.npos) return true;  // U+0400 to U+04FF.
    std::size_t letters = 0;
    std::size_t odd_letters = 0;
    bool has_evidence = false;
    for (const std::string_view word : words_of(text)) {
        // Handles, hashtags and addresses join words, often with inner capitals.
        if (word.substr(0, word.size() - 1).find_first_of("@#.") != std::string_view::npos)
            continue;
        letters += letters_of(word);
        if (!has_odd_form(std::string{word})) continue;
        odd_letters += letters_of(word);
        has_evidence = has_evidence || !has_name_form(std::string{word});
    }
    return has_evidence && odd_letters * 5 >= letters * 2;
}

bool is_accepted(const line_reading& reading, int sightings) {
    const auto letters = letters_of(reading.text);
    if (letters == 0 || is_lookalike(reading.text)) return false;
    // A single small letter is a piece of a word, except for the words "a", "o" and "y".
    if (letters == 1 && reading.text.find_first_of("bcdefghijklmnpqrstuvwxz") != std::string::npos)
        return false;
    double needed = accepted_confidence;
    const bool is_chinese = reading.text.find_first_of(chinese_bytes) != std::string::npos;
    if (is_chinese) needed = chinese_confidence;
    if (letters <= 3 || sightings < certain_frames) needed = sure_confidence;
    return reading.confidence >= needed;
}

}  // namespace reelsd::media::text
