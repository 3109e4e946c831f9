#include "words.hpp"

#include "clean_text.hpp"
#include "word_boundaries.hpp"
#include <reelsd/base/nearest.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/search_document.hpp>

#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <new>
#include <unordered_set>
#include <utility>

namespace reelsd::model {

namespace {

/// Non-ASCII letters, by Unicode block. General punctuation, symbols, arrows and emoji are not
/// letters.
constexpr bool is_foreign_letter(char32_t value) noexcept {
    if (value < 0xAA || value == 0xD7 || value == 0xF7) return false;
    if (value < 0x2000) return value == 0xAA || value == 0xB5 || value == 0xBA || value >= 0xC0;
    if (value >= 0x3000 && value < 0x3041) return false;
    return (value >= 0x2C00 && value < 0xD800) || (value >= 0xF900 && value < 0xFE00);
}

constexpr bool is_letter(char32_t value) noexcept {
    return (value < 0x80 && is_alphanumeric(static_cast<char>(value))) || is_foreign_letter(value);
}

/// Separates words but not phrases: "ice-cream", "salt & pepper".
constexpr bool is_word_separator(char32_t value) noexcept {
    return value == ' ' || value == '-' || value == '#' || value == '@' || value == '_' ||
           value == '&' || is_apostrophe(value);
}

std::vector<std::string_view> tokens_of(std::string_view text) {
    std::vector<std::string_view> tokens;
    for (text = trimmed(text, whitespace); !text.empty(); text = trimmed(text, whitespace)) {
        const auto end = std::min(text.find_first_of(whitespace), text.size());
        tokens.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return tokens;
}

bool is_tag(std::string_view token) noexcept {
    return token.size() > 1 && (token.front() == '#' || token.front() == '@');
}

bool is_link(std::string_view token) noexcept {
    return token.find("://") != std::string_view::npos || token.starts_with("www.");
}

/// Whether the byte at `at` is followed by more of a link.
bool is_inside_link(std::string_view text, std::size_t at) noexcept {
    const auto begin = text.substr(0, at).find_last_of(whitespace) + 1;
    const auto next = text.find_first_not_of(".!?", at);
    if (next == std::string_view::npos || whitespace.find(text[next]) != std::string_view::npos)
        return false;
    return is_link(text.substr(begin, at - begin));
}

/// A dot inside a number ("2.5"), after a list number ("1.") or after "Mr" ends no sentence.
bool ends_sentence(std::string_view text, std::size_t at) noexcept {
    const auto byte = text[at];
    if (byte == '\n') return true;
    if (byte == '!' || byte == '?') return !is_inside_link(text, at);
    if (byte != '.') return false;
    const bool at_end = at + 1 == text.size() ||
                        whitespace.find(text[at + 1]) != std::string_view::npos ||
                        text[at + 1] == '.';
    const bool is_list_number = at > 0 && at < 3 && is_digit(text[at - 1]);
    return at_end && !is_list_number && !ends_with_abbreviation(text.substr(0, at + 1));
}

/// Calls `take` with each word and, for a break, with an empty text. Breaks come only between
/// words. Texts that differ only in how accents are encoded have the same words.
template <class Take>
void split_words(std::string_view given, Take take) {
    const auto text = composed(given);
    std::string word;
    bool may_break = false;
    const auto close_word = [&] {
        // Apostrophes at the end are quotation marks.
        while (!word.empty() && word.back() == '\'') word.pop_back();
        if (word.empty()) return;
        take(std::string_view{word});
        may_break = true;
        word.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto next = code_point_at(text, at);
        const auto value = next.value;
        at += next.bytes;
        if (value < 0x80 && is_alphanumeric(static_cast<char>(value))) {
            word += ascii_lower(static_cast<char>(value));
        } else if (is_foreign_letter(value)) {
            append_code_point(word, value);
        } else if (is_apostrophe(value) && !word.empty()) {
            word += '\'';
        } else {
            close_word();
            if (is_word_separator(value) || !may_break) continue;
            take(std::string_view{});
            may_break = false;
        }
    }
    close_word();
}

void append_word(std::string& text, std::string_view word) {
    if (!text.empty()) text += ' ';
    text += word;
}

/// A tag or link that is not part of a sentence, which would have punctuation after it.
bool is_trailing(std::string_view token) noexcept {
    constexpr std::string_view punctuation = ".,;:!?)]\"'";
    return is_tag(token) ||
           (is_link(token) && punctuation.find(token.back()) == std::string_view::npos);
}

/// A line of a caption without hash signs, links before the text, and links and tags after it.
std::string line_without_tags(std::string_view line) {
    auto tokens = tokens_of(line);
    while (!tokens.empty() && is_trailing(tokens.back())) tokens.pop_back();
    std::string kept;
    for (auto token : tokens) {
        if (is_link(token) && kept.empty()) continue;
        if (is_tag(token) && token.front() == '#') token.remove_prefix(1);
        append_word(kept, token);
    }
    return kept;
}

/// Fewer capitals may be the initials of words and abbreviations.
constexpr std::ptrdiff_t capitals_per_small_letter_min = 4;

struct undecomposed_letter {
    char32_t value;
    std::string_view letters;
};

// Letters that Unicode does not decompose, though people read them as these.
constexpr auto undecomposed_letters = std::to_array<undecomposed_letter>({
    {0xE6, "ae"},
    {0xF0, "d"},
    {0xF8, "o"},
    {0xFE, "th"},
    {0x111, "d"},
    {0x127, "h"},
    {0x131, "i"},
    {0x138, "k"},
    {0x142, "l"},
    {0x14B, "n"},
    {0x153, "oe"},
    {0x167, "t"},
});

/// Appends the plain form of a folded Latin letter or digit; false when it is neither.
bool append_plain(std::string& word, char32_t value) {
    if (value < 0x80 && is_alphanumeric(static_cast<char>(value))) {
        word += static_cast<char>(value);
        return true;
    }
    const auto* const known =
        std::ranges::find(undecomposed_letters, value, &undecomposed_letter::value);
    if (known == undecomposed_letters.end()) return false;
    word += known->letters;
    return true;
}

bool is_han(char32_t letter) {
    static const auto* const han = ::uc_script_byname("Han");
    return ::uc_is_script(letter, han);
}

/// Accents and apostrophes: "don't" becomes "dont".
bool is_inside_word(char32_t value) {
    return value == '\'' || value == 0x2019 || ::uc_is_general_category(value, UC_CATEGORY_Mn);
}

/// Whether writers often leave out the mark of the letter: an accent of Latin or Greek, a vowel of
/// Arabic, the dots of the Russian ё. Other marks make other letters, as in the Russian й.
bool is_optional_mark(char32_t mark, char32_t letter) {
    static const auto scripts = std::to_array<const uc_script_t*>({
        ::uc_script_byname("Arabic"),
        ::uc_script_byname("Greek"),
        ::uc_script_byname("Latin"),
    });
    if (!::uc_is_general_category(mark, UC_CATEGORY_Mn)) return false;
    return (letter == 0x435 && mark == 0x308) ||
           std::ranges::find(scripts, ::uc_script(letter)) != scripts.end();
}

/// The text without case, with accents after their letters. Source: Unicode, chapter 3.13; NFKD.
std::u32string casefolded(const std::u32string& text) {
    static_assert(sizeof(char32_t) == sizeof(std::uint32_t));
    std::size_t length = 0;
    const std::unique_ptr<std::uint32_t, decltype(&std::free)> folded{
        ::u32_casefold(
            // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): of the same size
            reinterpret_cast<const std::uint32_t*>(text.data()),
            text.size(),
            nullptr,
            UNINORM_NFKD,
            nullptr,
            &length),
        &std::free};
    if (!folded) throw std::bad_alloc{};
    return {folded.get(), folded.get() + length};
}

/// Text in the form of search_text(), but with runs of scripts without spaces.
std::string without_accents(std::string_view text) {
    constexpr char32_t arabic_stretch = 0x640;
    std::string plain;
    char32_t letter = 0;
    for (const auto value : casefolded(code_points_of(text))) {
        if (value == arabic_stretch || is_optional_mark(value, letter)) continue;
        letter = value;
        if (!append_plain(plain, value)) append_code_point(plain, value);
    }
    return composed(plain);
}

/// Appends "ab bc" for "abc", as words of their own, and with `each_han` also its Han letters.
void append_pairs(std::string& text, const std::u32string& letters, bool each_han) {
    text += ' ';
    for (std::size_t at = 0; at < letters.size(); ++at) {
        if (letters.size() == 1 || (each_han && is_han(letters[at])))
            text += utf8_of(letters.substr(at, 1)) + ' ';
        if (at + 1 < letters.size()) text += utf8_of(letters.substr(at, 2)) + ' ';
    }
}

/// The text in the form of search_text() or, with `each_han`, of indexed_text().
std::string compared_text(std::string_view text, bool each_han) {
    const auto points = code_points_of(without_accents(text));
    std::string written;
    std::u32string run;
    const auto close_run = [&] {
        if (!run.empty()) append_pairs(written, std::exchange(run, {}), each_han);
    };
    for (std::size_t at = 0; at < points.size(); ++at) {
        const auto value = points[at];
        if (is_of_unspaced_script(value)) {
            run += value;
            continue;
        }
        close_run();
        // PostgreSQL takes "word.word" for a host and "a/b" for a path.
        const bool joins_words =
            std::u32string_view{U"./:@\\~"}.find(value) != std::u32string::npos;
        const bool is_in_number = at > 0 && at + 1 < points.size() &&
                                  is_ascii_digit(points[at - 1]) && is_ascii_digit(points[at + 1]);
        append_code_point(written, joins_words && !is_in_number ? U' ' : value);
    }
    close_run();
    return written;
}

/// The digits of a text, with the marks between them: "2.5" and "25" are two numbers.
std::u32string numbers_of(std::string_view text) {
    const auto points = casefolded(code_points_of(text));
    const auto is_digit_at = [&points](std::size_t at) {
        return at < points.size() && is_ascii_digit(points[at]);
    };
    std::u32string numbers;
    for (std::size_t at = 0; at < points.size(); ++at) {
        const bool is_mark =
            at > 0 && is_digit_at(at - 1) && is_digit_at(at + 1) && is_number_mark(points[at]);
        if (is_mark || is_digit_at(at)) numbers += points[at];
    }
    return numbers;
}

/// Letters, marks, numbers and symbols. Invisible characters, such as joiners, do not count.
bool counts(char32_t value) {
    constexpr std::uint32_t mask =
        UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_N | UC_CATEGORY_MASK_S;
    return uc_is_general_category_withtable(value, mask) && !is_variation_selector(value);
}

}  // namespace

std::vector<std::string_view> entries_of(std::string_view list) {
    std::vector<std::string_view> entries;
    for (list = trimmed(list); !list.empty(); list = trimmed(list)) {
        const auto line = list.substr(0, list.find('\n'));
        if (!line.starts_with("# ")) entries.push_back(line);
        list.remove_prefix(line.size());
    }
    return entries;
}

std::vector<std::string> words_and_breaks_of(std::string_view text) {
    std::vector<std::string> words;
    split_words(text, [&words](std::string_view word) { words.emplace_back(word); });
    return words;
}

void for_each_word(std::string_view text, const std::function<void(std::string_view word)>& take) {
    split_words(text, [&take](std::string_view word) {
        if (!word.empty()) take(word);
    });
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for_each_word(text, [&words](std::string_view word) { words.emplace_back(word); });
    return words;
}

std::size_t word_count(std::string_view text) {
    constexpr std::size_t letters_per_word = 2;
    std::size_t count = 0;
    for_each_word(text, [&count](std::string_view word) {
        const auto letters = std::ranges::count_if(code_points_of(word), is_of_unspaced_script);
        count += std::max(static_cast<std::size_t>(letters) / letters_per_word, std::size_t{1});
    });
    return count;
}

bool is_nearly(std::string_view left, std::string_view right) {
    const auto [shorter, longer] = std::minmax({left.size(), right.size()});
    return longer - shorter <= 1 && edit_distances(left, right).back() <= 1;
}

std::vector<std::string> folded_words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    const auto close = [&] {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    for (const auto value : casefolded(code_points_of(text))) {
        if (!is_inside_word(value) && !append_plain(word, value)) close();
    }
    close();
    return words;
}

std::string search_text(std::string_view text) {
    return compared_text(text, false);
}

std::string indexed_text(std::string_view text) {
    return compared_text(text, true);
}

bool is_mostly_latin(std::string_view text) {
    const auto* const latin_script = ::uc_script_byname("Latin");
    std::size_t latin = 0;
    std::size_t others = 0;
    for (const auto value : code_points_of(text)) {
        if (::uc_is_general_category(value, UC_CATEGORY_L))
            ++(::uc_is_script(value, latin_script) ? latin : others);
    }
    return latin > others;
}

std::vector<std::string> sentences_of(std::string_view text) {
    std::vector<std::string> sentences;
    std::size_t begin = 0;
    const auto close = [&](std::size_t end) {
        const auto sentence = trimmed(text.substr(begin, end - begin), whitespace);
        if (!words_of(sentence).empty()) sentences.emplace_back(sentence);
        begin = end;
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!ends_sentence(text.substr(begin), at - begin)) continue;
        const auto marks = std::min(text.find_first_not_of(".!?", at + 1), text.size());
        close(std::max(at + 1, marks));
        at = begin - 1;
    }
    close(text.size());
    return sentences;
}

bool ends_with_sentence_mark(std::string_view text) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{".", "!", "?", "。", "！", "？", "…", "।"},
        [text](std::string_view mark) { return text.ends_with(mark); });
}

std::string first_words(std::string_view text, std::size_t words_max) {
    const auto tokens = tokens_of(text);
    std::string words;
    for (std::size_t at = 0; at < std::min(tokens.size(), words_max); ++at) {
        if (!words.empty()) words += ' ';
        words += tokens[at];
    }
    if (tokens.size() > words_max) words += "...";
    return words;
}

std::size_t passage_length(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text.size();
    const auto longest = utf8_prefix(text, bytes_max);
    const auto after_last = [longest](std::initializer_list<std::string_view> marks) {
        std::size_t end = 0;
        for (const auto mark : marks) {
            const auto at = longest.rfind(mark);
            if (at != longest.npos) end = std::max(end, at + mark.size());
        }
        return end;
    };
    const auto line = after_last({"\n"});
    const auto sentence = after_last({". ", "! ", "? ", "\u3002", "\uFF01", "\uFF1F"});
    const auto word = after_last({" ", "\u3001", "\uFF0C", "\uFF1B"});
    for (const auto end : {line, sentence, word}) {
        if (end > bytes_max / 2) return end;
    }
    return longest.size();
}

bool is_stop_word(std::string_view word) {
    static const auto stop_words = [] {
        const auto entries = entries_of(word_lists::stop_words);
        return std::unordered_set<std::string_view>{entries.begin(), entries.end()};
    }();
    return stop_words.contains(word);
}

std::string stem_of(std::string_view word) {
    std::string stem{word};
    if (stem.ends_with("'s")) stem.resize(stem.size() - 2);
    const bool plural = stem.size() > 3 && stem.ends_with('s') && !stem.ends_with("ss") &&
                        !stem.ends_with("us") && !stem.ends_with("is");
    if (!plural) return stem;
    if (stem.size() > 4 && stem.ends_with("ies")) return stem.substr(0, stem.size() - 3) + "y";
    stem.pop_back();
    return stem;
}

std::vector<std::string> content_stems_of(std::string_view text) {
    std::vector<std::string> stems;
    for (const auto& word : words_of(text)) {
        if (word.size() > 1 && !is_stop_word(word)) stems.push_back(stem_of(word));
    }
    return stems;
}

std::string without_tags(std::string_view caption) {
    std::string text;
    std::size_t line_begin = 0;
    while (line_begin <= caption.size()) {
        const auto line_end = std::min(caption.find('\n', line_begin), caption.size());
        const auto line = line_without_tags(caption.substr(line_begin, line_end - line_begin));
        if (!line.empty()) text += line + '\n';
        line_begin = line_end + 1;
    }
    return text;
}

std::string without_links(std::string_view text) {
    std::string kept;
    for (const auto token : tokens_of(text)) {
        if (!is_link(token)) append_word(kept, token);
    }
    return kept;
}

std::string sentence_case(std::string_view text) {
    const auto points = code_points_of(text);
    const auto upper =
        std::ranges::count_if(points, [](char32_t value) { return uc_is_upper(value); });
    const auto lower =
        std::ranges::count_if(points, [](char32_t value) { return uc_is_lower(value); });
    const bool is_in_capitals = upper > capitals_per_small_letter_min * lower;
    std::string written;
    bool starts_sentence = true;
    for (std::size_t at = 0; at < points.size(); ++at) {
        const auto value = points[at];
        const bool stands_alone = (at == 0 || !is_letter(points[at - 1])) &&
                                  (at + 1 == points.size() || !is_letter(points[at + 1]));
        const bool is_pronoun = value == 'I' && stands_alone;
        const bool keeps = !is_in_capitals || starts_sentence || is_pronoun;
        append_code_point(written, keeps ? value : uc_tolower(value));
        const bool ends = value == '.' || value == '!' || value == '?';
        if (ends || is_letter(value)) starts_sentence = ends;
    }
    return written;
}

std::string as_sentence(std::string_view text) {
    std::string sentence{trimmed(text, whitespace)};
    std::ranges::replace(sentence, '\n', ' ');
    if (sentence.empty()) return sentence;
    const auto first = static_cast<unsigned char>(sentence.front());
    const bool is_name =
        sentence.size() > 1 && std::isupper(static_cast<unsigned char>(sentence[1])) != 0;
    if (first < 0x80 && !is_name) sentence.front() = static_cast<char>(std::toupper(first));
    const auto last = static_cast<unsigned char>(sentence.back());
    if (last < 0x80 && (std::isalnum(last) != 0 || last == '"' || last == ')')) sentence += '.';
    return sentence;
}

folded_text::folded_text(std::string_view text) : text_{text} {
    // A letter is folded together with its marks, which have a canonical order.
    range part{0, 0};
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        const bool is_mark =
            uc_combining_class(read.value) != 0 || is_variation_selector(read.value);
        if (at > part.begin && !is_mark) {
            part.end = at;
            add(part);
            part.begin = at;
        }
        at += read.bytes;
    }
    part.end = text.size();
    if (part.end > part.begin) add(part);
}

void folded_text::add(range part) {
    const auto whole = code_points_of(text_.substr(part.begin, part.end - part.begin));
    for (const auto value : casefolded(whole)) {
        if (!counts(value)) continue;
        letters_.push_back(value);
        origin_.push_back(part);
    }
}

std::string_view folded_text::find(const folded_text& quote) const {
    const auto length = quote.letters_.size();
    if (length == 0 || (length == 1 && letters_.size() != 1)) return {};
    constexpr auto none = std::u32string::npos;
    for (auto at = letters_.find(quote.letters_); at != none;
         at = letters_.find(quote.letters_, at + 1)) {
        const auto first = origin_[at].begin;
        const auto last = origin_[at + length - 1].end;
        if (begins_inside_word(text_, first) || ends_inside_word(text_, last)) continue;
        if (numbers_of(text_.substr(first, last - first)) != numbers_of(quote.text_)) continue;
        // A quotation up to an end of the text includes the punctuation there.
        const auto begin = at == 0 ? 0 : first;
        const auto end = at + length == letters_.size() ? text_.size() : last;
        return trimmed(text_.substr(begin, end - begin));
    }
    return {};
}

}  // namespace reelsd::model
