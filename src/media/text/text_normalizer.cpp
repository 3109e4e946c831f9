#include "text_normalizer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
#include <vector>

namespace reelsd::media::text {

namespace {

bool is_alphanumeric(char c) {
    // Bytes above ASCII belong to accented letters here.
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t alphanumerics(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_alphanumeric));
}

/// Without punctuation at its ends, as in a dictionary.
std::string_view core_of(std::string_view word) {
    while (!word.empty() && !is_alphanumeric(word.front())) word.remove_prefix(1);
    while (!word.empty() && !is_alphanumeric(word.back())) word.remove_suffix(1);
    return word;
}

struct edit {
    std::size_t distance = 0;
    bool digits_differ = false;
};

/// Edit distance by rows, and whether the best alignment replaces a digit by another.
edit edit_between(std::string_view a, std::string_view b) {
    struct cell {
        std::size_t distance = 0;
        bool digits = false;
    };
    std::vector<cell> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j].distance = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        cell diagonal = row[0];
        row[0] = {i, false};
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool differ = a[i - 1] != b[j - 1];
            cell best{
                diagonal.distance + (differ ? 1U : 0U),
                diagonal.digits || (differ && is_digit(a[i - 1]) && is_digit(b[j - 1]))};
            if (row[j].distance + 1 < best.distance) best = {row[j].distance + 1, row[j].digits};
            if (row[j - 1].distance + 1 < best.distance) {
                best = {row[j - 1].distance + 1, row[j - 1].digits};
            }
            diagonal = row[j];
            row[j] = best;
        }
    }
    return {row.back().distance, row.back().digits};
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// Words `first`.. (`count` of them) of `text` with single spaces.
std::string joined(
    const std::vector<std::string_view>& words, std::size_t first, std::size_t count) {
    std::string text{};
    for (std::size_t i = first; i < first + count; ++i) {
        if (!text.empty()) text += ' ';
        text += words[i];
    }
    return text;
}

struct weighed_word {
    std::string text{};
    double confidence = 0;
    std::size_t letters = 0;
    bool known = false;
    bool believed = false;
};

bool is_numeric(const weighed_word& word) {
    return std::any_of(word.text.begin(), word.text.end(), is_digit);
}

/// A handle, a hashtag or an address.
bool is_tag(const weighed_word& word) {
    if (word.letters < 3) return false;
    return word.text[0] == '@' || word.text[0] == '#' || word.text.starts_with("www.") ||
           word.text.starts_with("http");
}

/// Noise is often read as short words, which therefore need more confidence, as do words that are
/// not in the dictionary. Numbers, prices, handles and addresses have their own rule.
bool is_believed(const weighed_word& word) {
    if (word.letters == 0) return word.confidence >= 85;
    if (word.known) return word.confidence >= (word.letters <= 2 ? 80 : 60);
    if (is_tag(word)) return word.confidence >= 62;
    if (is_numeric(word)) return word.confidence >= 75;
    return word.confidence >= (word.letters <= 5 ? 85 : 68);
}

/// Windows, fences and similar: one letter repeated.
bool is_pattern(std::string_view text) {
    std::array<std::size_t, 256> counts{};
    std::size_t letters = 0;
    std::size_t digits = 0;
    std::size_t most = 0;
    for (const char c : text) {
        if (!is_alphanumeric(c)) continue;
        ++(is_digit(c) ? digits : letters);
        most = std::max(most, ++counts[static_cast<unsigned char>(c)]);
    }
    // Prices and years may repeat a digit; a number with only one digit is noise.
    if (letters == 0) return digits >= 4 && most == digits;
    return letters >= 3 && most * 10 >= (letters + digits) * 7;
}

/// The dictionary is unreliable for two letters: it contains "fe" and "pe". Capitals and digits
/// (US, 4K) are accepted, because they need more confidence in any case.
bool is_short_word(std::string_view core) {
    static constexpr std::array<std::string_view, 33> words{
        "ad", "ah", "am", "an", "as", "at", "be", "by", "do", "go", "ha",
        "he", "hi", "if", "in", "is", "it", "me", "my", "no", "of", "oh",
        "ok", "on", "or", "so", "to", "up", "us", "vs", "we", "yo", "id"};
    std::string lower{core};
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return std::find(words.begin(), words.end(), lower) != words.end();
}

/// Short and not in the dictionary: accepted only in the form of abbreviations and numbers.
bool is_odd_fragment(const weighed_word& word) {
    return !word.known && word.letters <= 3 &&
           std::any_of(word.text.begin(), word.text.end(), [](char c) {
               return std::islower(static_cast<unsigned char>(c)) != 0 ||
                      (static_cast<unsigned char>(c) & 0x80U) != 0;
           });
}

constexpr double beyond_confidence = 101;  // No reading reaches it.

/// Each letter of a text this short must be a separate piece for half a second.
bool is_hardly_seen(double letters, const evidence& seen) {
    return letters <= 3 && (seen.sightings < 2 || std::abs(seen.letters - letters) > 1);
}

/// Lines with fewer letters, or fewer letters in `known` words, need more.
double confidence_for_words(double letters, double known) {
    if (letters <= 3) return known >= letters ? 90 : 93;
    if (known * 2 < letters) return letters <= 6 ? 88 : 75;
    return letters <= 6 ? 82 : 62;
}

/// Least mean confidence of a line with this many letters and letters in `known` words.
double needed_confidence(double letters, double known, const evidence& seen) {
    if (is_hardly_seen(letters, seen)) return beyond_confidence;
    double needed = confidence_for_words(letters, known);
    // A single frame shows texture as often as text, and so does an unlikely number of letters.
    if (seen.sightings < 2) needed = std::max(needed, letters <= 6 ? 95.0 : 88.0);
    if (seen.sightings < 3 && letters <= 6) needed = std::max(needed, 90.0);
    if (seen.letters > 2 * letters + 4 || letters > 3 * seen.letters + 4) {
        needed = std::max(needed, 85.0);
    }
    return needed;
}

/// Small marks are often lost: "Don t" is "Don't", and a single bar is the word I.
std::string with_apostrophes(std::string_view text) {
    static constexpr std::array<std::string_view, 12> negations{
        "don",
        "can",
        "won",
        "isn",
        "didn",
        "doesn",
        "wasn",
        "aren",
        "couldn",
        "shouldn",
        "wouldn",
        "haven"};
    std::string fixed;
    std::string last;
    for (const std::string_view word : words_of(text)) {
        const bool tail =
            word == "t" && std::find(negations.begin(), negations.end(), last) != negations.end();
        if (!fixed.empty()) fixed += tail ? '\'' : ' ';
        fixed += word == "|" ? std::string_view{"I"} : word;
        last.assign(word);
        std::transform(last.begin(), last.end(), last.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
    }
    return fixed;
}

/// A mark that may occur between words; others are specks of the background.
bool is_separate_mark(std::string_view word) {
    return word.find_first_of("&+-/!?%$#@=*|") != std::string_view::npos;
}

/// Without specks before the first word and unmatched quotes.
std::string trimmed(std::string text) {
    while (!text.empty() &&
           std::string_view{".,:;_~`* "}.find(text.front()) != std::string_view::npos) {
        text.erase(0, 1);
    }
    for (const char quote : {'\'', '"'}) {
        if (text.size() < 2) break;
        const bool first = text.front() == quote;
        const bool last = text.back() == quote;
        if (first && !last && text.find(quote, 1) == std::string::npos) text.erase(0, 1);
        if (last && !first && std::count(text.begin(), text.end(), quote) == 1) text.pop_back();
    }
    return text;
}

/// Single marks at the end of a line are specks.
bool droppable_at_the_end(const weighed_word& word) {
    if (word.letters == 0) return word.text.find_first_of("&+!?$%#@") == std::string::npos;
    return !word.believed && (word.letters <= 2 || word.confidence < 45);
}

/// Without specks between the words and noise at both ends.
void drop_noise(std::vector<weighed_word>& words) {
    std::erase_if(words, [](const weighed_word& word) {
        return word.letters == 0 && !is_separate_mark(word.text);
    });
    while (!words.empty() && droppable_at_the_end(words.back())) words.pop_back();
    while (!words.empty() && droppable_at_the_end(words.front())) words.erase(words.begin());
}

/// Sums over the words of a line.
struct weighed_line {
    std::string text{};
    double letters = 0;
    double believed = 0;    ///< Letters in accepted words.
    double known = 0;       ///< Letters in words of a dictionary, or in tags.
    double confidence = 0;  ///< Sum over the letters.
};

weighed_line weighed(const std::vector<weighed_word>& words) {
    weighed_line line;
    for (const weighed_word& word : words) {
        if (!line.text.empty()) line.text += ' ';
        line.text += word.text;
        const auto weight = static_cast<double>(word.letters);
        line.letters += weight;
        line.confidence += word.confidence * weight;
        if (word.believed) line.believed += weight;
        if (word.known || is_tag(word)) line.known += weight;
    }
    return line;
}

}  // namespace

std::string plain_punctuation(std::string_view text) {
    struct form {
        std::string_view from;
        std::string_view to;
    };
    static constexpr std::array<form, 8> forms{{
        {"\u2018", "'"},
        {"\u2019", "'"},
        {"\u201c", "\""},
        {"\u201d", "\""},
        {"\u2013", "-"},
        {"\u2014", "-"},
        {"\u2026", "..."},
        {"\u00b4", "'"},
    }};
    std::string plain{};
    while (!text.empty()) {
        const auto* const found = std::find_if(forms.begin(), forms.end(), [&](const form& each) {
            return text.starts_with(each.from);
        });
        if (found == forms.end()) {
            plain += text.front();
            text.remove_prefix(1);
        } else {
            plain += found->to;
            text.remove_prefix(found->from.size());
        }
    }
    return plain;
}

double similarity(std::string_view a, std::string_view b) {
    const std::size_t longer = std::max(a.size(), b.size());
    if (longer == 0) return 1;
    return 1 - static_cast<double>(edit_between(a, b).distance) / static_cast<double>(longer);
}

bool same_text(std::string_view a, std::string_view b) {
    const std::size_t longer = std::max(a.size(), b.size());
    if (longer == 0) return true;
    const edit between = edit_between(a, b);
    if (between.digits_differ) return false;
    return static_cast<double>(between.distance) <=
           (1 - same_text_similarity) * static_cast<double>(longer);
}

bool grows_into(std::string_view shorter, std::string_view longer) {
    const auto few = words_of(shorter);
    const auto many = words_of(longer);
    if (few.empty() || few.size() >= many.size()) return false;
    return similarity(joined(few, 0, few.size()), joined(many, 0, few.size())) >= 0.75;
}

bool is_part_of(std::string_view part, std::string_view whole) {
    constexpr std::size_t part_letters_min = 4;  // "it" occurs in half of all texts.
    if (part.size() < whole.size() && part.size() >= part_letters_min &&
        whole.find(part) != std::string_view::npos) {
        return true;
    }
    const auto few = words_of(part);
    const auto many = words_of(whole);
    if (few.empty() || few.size() >= many.size()) return false;
    const std::string sought = joined(few, 0, few.size());
    for (std::size_t i = 0; i + few.size() <= many.size(); ++i) {
        if (similarity(sought, joined(many, i, few.size())) >= 0.75) return true;
    }
    return false;
}

void ocr_filter::correct_digits(std::string& word) const {
    // Only between letters: "m1x", not "4K" or "2nd".
    static constexpr std::array<std::pair<char, char>, 4> forms{
        {{'1', 'i'}, {'1', 'l'}, {'0', 'o'}, {'5', 's'}}};
    for (const auto& [digit, letter] : forms) {
        const auto at = word.find(digit, 1);
        if (at == std::string::npos || at + 1 >= word.size()) continue;
        if (std::islower(static_cast<unsigned char>(word[at - 1])) == 0) continue;
        if (std::islower(static_cast<unsigned char>(word[at + 1])) == 0) continue;
        std::string corrected = word;
        corrected[at] = letter;
        if (!knows_(core_of(corrected))) continue;
        word = std::move(corrected);
        return;
    }
}

bool ocr_filter::trusts(const line_reading& reading) const {
    return std::all_of(reading.words.begin(), reading.words.end(), [&](const word_reading& each) {
        const std::string plain = plain_punctuation(each.text);
        const std::string_view core = core_of(plain);
        return each.known || std::all_of(core.begin(), core.end(), is_digit) || knows_(core);
    });
}

bool ocr_filter::is_known(const word_reading& reading, std::string_view text) const {
    const std::size_t letters = alphanumerics(text);
    const std::string_view core = core_of(text);
    if (letters == 0) return false;
    return letters == 2 && core.size() == 2 ? is_short_word(core) : reading.known || knows_(core);
}

vetted_text ocr_filter::filter(const line_reading& reading, const evidence& seen) const {
    std::vector<weighed_word> words;
    for (const word_reading& each : reading.words) {
        weighed_word word{.text = plain_punctuation(each.text), .confidence = each.confidence};
        correct_digits(word.text);
        word.letters = alphanumerics(word.text);
        word.known = is_known(each, word.text);
        word.believed = is_believed(word);
        words.push_back(std::move(word));
    }
    drop_noise(words);
    weighed_line line = weighed(words);
    if (line.letters < 2 || is_pattern(line.text)) return {};
    if (line.letters <= 3 && std::any_of(words.begin(), words.end(), is_odd_fragment)) return {};
    const double confidence = line.confidence / line.letters;
    if (confidence < needed_confidence(line.letters, line.known, seen)) return {};
    if (line.believed < 0.6 * line.letters) return {};
    return {.text = with_apostrophes(trimmed(std::move(line.text))), .confidence = confidence};
}

}  // namespace reelsd::media::text
