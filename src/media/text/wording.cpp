#include "wording.hpp"

#include <algorithm>
#include <array>
#include <cctype>
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

/// Without punctuation at the ends: what a dictionary lists.
std::string_view core_of(std::string_view word) {
    while (!word.empty() && !is_alphanumeric(word.front())) word.remove_prefix(1);
    while (!word.empty() && !is_alphanumeric(word.back())) word.remove_suffix(1);
    return word;
}

struct edit {
    std::size_t distance = 0;
    bool digits_differ = false;
};

/// Edit distance by rows, and whether the best alignment puts one digit against another.
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

/// Short words are what noise is read as, so they need more confidence; so do words in no
/// dictionary. Numbers, prices, handles and addresses are in none and are judged by themselves.
bool is_believed(const weighed_word& word) {
    if (word.letters == 0) return word.confidence >= 85;
    const bool numeric = std::any_of(word.text.begin(), word.text.end(), is_digit);
    const bool tagged = word.letters >= 3 && (word.text[0] == '@' || word.text[0] == '#');
    if (word.known) return word.confidence >= (word.letters <= 2 ? 80 : 60);
    if (tagged) return word.confidence >= 62;
    if (numeric) return word.confidence >= 75;
    return word.confidence >= (word.letters <= 5 ? 85 : 68);
}

bool droppable_at_the_end(const weighed_word& word) {
    if (word.believed) return false;
    return word.letters <= 2 || word.confidence < 45;
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
    const auto few = words_of(part);
    const auto many = words_of(whole);
    if (few.empty() || few.size() > many.size()) return false;
    const std::string wanted = joined(few, 0, few.size());
    for (std::size_t i = 0; i + few.size() <= many.size(); ++i) {
        if (similarity(wanted, joined(many, i, few.size())) >= 0.75) return true;
    }
    return false;
}

vetted_text word_judge::judge(const line_reading& reading, const evidence& seen) const {
    std::vector<weighed_word> words;
    for (const word_reading& each : reading.words) {
        weighed_word word{.text = plain_punctuation(each.text), .confidence = each.confidence};
        const std::string_view core = core_of(word.text);
        word.letters = alphanumerics(word.text);
        word.known = word.letters > 0 && (each.known || words_.knows(core));
        word.believed = is_believed(word);
        words.push_back(std::move(word));
    }
    while (!words.empty() && droppable_at_the_end(words.back())) words.pop_back();
    while (!words.empty() && droppable_at_the_end(words.front())) words.erase(words.begin());

    vetted_text vetted;
    double letters = 0;
    double believed = 0;
    double known = 0;
    for (const weighed_word& word : words) {
        if (!vetted.text.empty()) vetted.text += ' ';
        vetted.text += word.text;
        const auto weight = static_cast<double>(word.letters);
        letters += weight;
        vetted.confidence += word.confidence * weight;
        if (word.believed) believed += weight;
        if (word.known) known += weight;
    }
    if (letters < 2) return {};
    vetted.confidence /= letters;
    double needed = 60;
    if (letters <= 3)
        needed = 85;
    else if (known * 2 < letters)
        needed = 75;
    // One frame alone shows texture as often as text; an unlikely number of letters likewise.
    if (seen.sightings < 2) needed = std::max(needed, 85.0);
    if (seen.letters > 2 * letters + 4 || letters > 3 * seen.letters + 4)
        needed = std::max(needed, 85.0);
    if (vetted.confidence < needed || believed < 0.6 * letters) return {};
    return vetted;
}

}  // namespace reelsd::media::text
