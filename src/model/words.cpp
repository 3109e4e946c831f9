#include "words.hpp"

#include "utf8.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace reelsd::model {

namespace {

// Sorted: it is searched by halving.
// clang-format off
constexpr auto stop_words = std::to_array<std::string_view>({
    "a", "about", "above", "actually", "add", "after", "again", "all", "almost", "already",
    "also", "always", "am", "an", "and", "another", "any", "anyone", "anything", "are", "aren't",
    "around", "as", "ask", "at", "away", "back", "be", "because", "been", "before", "behind",
    "being", "below", "between", "bio", "both", "bring", "but", "buy", "by", "call", "came",
    "can", "can't", "cannot", "choose", "click", "come", "comes", "coming", "comment", "could",
    "couldn't", "did", "didn't", "do", "does", "doesn't", "doing", "don't", "done", "down",
    "during", "each", "either", "else", "enough", "ever", "every", "everyone", "everything",
    "few", "find", "first", "five", "follow", "for", "four", "from", "get", "gets", "getting",
    "give", "gives", "go", "goes", "going", "gonna", "good", "got", "gotta", "had", "has", "have",
    "haven't", "having", "he", "he's", "her", "here", "here's", "hers", "him", "his", "hold",
    "hour", "hours", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "isn't",
    "it", "it's", "its", "itself", "just", "keep", "keeps", "know", "known", "last", "later",
    "least", "let", "let's", "like", "link", "little", "ll", "look", "looks", "lot", "lots",
    "made", "make", "makes", "making", "many", "may", "maybe", "me", "mean", "means", "might",
    "mine", "minute", "minutes", "more", "most", "much", "must", "my", "myself", "need", "needs",
    "never", "new", "next", "no", "none", "not", "nothing", "now", "of", "off", "often", "oh",
    "ok", "okay", "on", "once", "one", "ones", "only", "or", "other", "others", "our", "ours",
    "out", "over", "own", "people", "per", "please", "put", "puts", "quite", "rather", "re",
    "really", "right", "said", "same", "save", "say", "says", "second", "see", "seen", "share",
    "she", "she's", "should", "show", "shows", "since", "six", "so", "some", "someone",
    "something", "soon", "start", "step", "still", "subscribe", "such", "swipe", "take", "takes",
    "tap", "tell", "than", "that", "that's", "the", "their", "them", "themselves", "then",
    "there", "there's", "these", "they", "they're", "they've", "thing", "things", "think",
    "third", "this", "those", "though", "three", "through", "time", "times", "to", "today",
    "together", "told", "too", "took", "toward", "tried", "tries", "try", "trying", "turn", "two",
    "under", "until", "up", "upon", "us", "use", "used", "uses", "using", "ve", "very", "via",
    "video", "wait", "wanna", "want", "wants", "was", "wasn't", "watch", "way", "ways", "we",
    "we'll", "we're", "we've", "well", "went", "were", "weren't", "what", "what's", "when",
    "where", "which", "while", "who", "who's", "whole", "whom", "why", "will", "with", "within",
    "without", "won't", "would", "wouldn't", "yeah", "yes", "yet", "you", "you'd", "you'll",
    "you're", "you've", "your", "yours", "yourself",
});
// clang-format on
static_assert(std::is_sorted(stop_words.begin(), stop_words.end()));

constexpr bool is_ascii_word(char32_t value) noexcept {
    return (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z') ||
           (value >= '0' && value <= '9');
}

/// Letters of other scripts by their blocks; general punctuation, symbols, arrows and emoji are
/// none.
constexpr bool is_foreign_letter(char32_t value) noexcept {
    if (value < 0xAA || value == 0xD7 || value == 0xF7) return false;
    if (value < 0x2000) return value == 0xAA || value == 0xB5 || value == 0xBA || value >= 0xC0;
    if (value >= 0x3000 && value < 0x3041) return false;
    return (value >= 0x2C00 && value < 0xD800) || (value >= 0xF900 && value < 0xFE00);
}

constexpr bool is_letter(char32_t value) noexcept {
    return is_ascii_word(value) || is_foreign_letter(value);
}

constexpr bool is_apostrophe(char32_t value) noexcept {
    return value == '\'' || value == 0x2019;
}

/// Parts words but not phrases: "ice-cream", "salt & pepper".
constexpr bool is_light(char32_t value) noexcept {
    return value == ' ' || value == '-' || value == '#' || value == '@' || value == '_' ||
           value == '&' || is_apostrophe(value);
}

std::vector<std::string_view> tokens_of(std::string_view text) {
    std::vector<std::string_view> tokens;
    for (text = trimmed(text, blanks); !text.empty(); text = trimmed(text, blanks)) {
        const auto end = std::min(text.find_first_of(blanks), text.size());
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

/// A dot that belongs to a number ("2.5") or closes a list number ("1.") ends no sentence.
bool ends_sentence(std::string_view text, std::size_t at) noexcept {
    const auto byte = text[at];
    if (byte == '\n' || byte == '!' || byte == '?') return true;
    if (byte != '.') return false;
    const bool at_end = at + 1 == text.size() ||
                        blanks.find(text[at + 1]) != std::string_view::npos || text[at + 1] == '.';
    const bool after_digit = at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1])) != 0;
    const bool opens = at < 3;
    return at_end && !(after_digit && opens);
}

/// Takes a text's code points in order and parts them into words and breaks.
class word_splitter {
public:
    void add(char32_t value) {
        if (is_letter(value)) {
            const bool upper = value >= 'A' && value <= 'Z';
            append_code_point(word_, upper ? value + ('a' - 'A') : value);
        } else if (is_apostrophe(value) && !word_.empty()) {
            word_ += '\'';
        } else {
            close_word();
            if (!is_light(value)) add_break();
        }
    }

    std::vector<std::string> finish() {
        close_word();
        return std::move(words_);
    }

private:
    /// An apostrophe at its end is a quotation mark.
    void close_word() {
        while (!word_.empty() && word_.back() == '\'') word_.pop_back();
        if (!word_.empty()) words_.push_back(std::exchange(word_, {}));
    }

    void add_break() {
        if (!words_.empty() && !words_.back().empty()) words_.emplace_back();
    }

    std::vector<std::string> words_;
    std::string word_;
};

/// A line of a caption to read by.
std::string line_without_tags(std::string_view line) {
    auto tokens = tokens_of(line);
    while (!tokens.empty() && is_tag(tokens.back())) tokens.pop_back();
    std::string kept;
    for (auto token : tokens) {
        if (is_link(token)) continue;
        if (is_tag(token) && token.front() == '#') token.remove_prefix(1);
        if (!kept.empty()) kept += ' ';
        kept += token;
    }
    return kept;
}

}  // namespace

std::vector<std::string> words_and_breaks_of(std::string_view text) {
    word_splitter splitter;
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        splitter.add(read.value);
    }
    return splitter.finish();
}

std::vector<std::string> words_of(std::string_view text) {
    auto words = words_and_breaks_of(text);
    std::erase(words, std::string{});
    return words;
}

std::vector<std::string> sentences_of(std::string_view text) {
    std::vector<std::string> sentences;
    std::size_t begin = 0;
    const auto close = [&](std::size_t end) {
        const auto sentence = trimmed(text.substr(begin, end - begin), blanks);
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

std::string first_words(std::string_view text, std::size_t words_max) {
    const auto tokens = tokens_of(text);
    std::string taken;
    for (std::size_t at = 0; at < std::min(tokens.size(), words_max); ++at) {
        if (!taken.empty()) taken += ' ';
        taken += tokens[at];
    }
    if (tokens.size() > words_max) taken += "...";
    return taken;
}

bool is_stop_word(std::string_view word) noexcept {
    return std::binary_search(stop_words.begin(), stop_words.end(), word);
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

std::string as_sentence(std::string_view text) {
    std::string sentence{trimmed(text, blanks)};
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    if (sentence.empty()) return sentence;
    const auto first = static_cast<unsigned char>(sentence.front());
    if (first < 0x80) sentence.front() = static_cast<char>(std::toupper(first));
    const auto last = static_cast<unsigned char>(sentence.back());
    if (last < 0x80 && (std::isalnum(last) != 0 || last == '"' || last == ')')) sentence += '.';
    return sentence;
}

}  // namespace reelsd::model
