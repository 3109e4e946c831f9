#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Words and sentences of texts, and texts for comparison. Stop words and stems are English; words
/// of other languages are content words.
namespace reelsd::model {

/// The words of a text in lower case, in order: letters, digits and inner apostrophes. Signs, emoji
/// and punctuation separate words.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// Calls `take` with each of them, without copying it.
void for_each_word(std::string_view text, const std::function<void(std::string_view word)>& take);

/// The number of words. Two letters of a script without spaces, such as Chinese or Thai, count as
/// one.
[[nodiscard]] std::size_t word_count(std::string_view text);

/// words_of() with an empty word wherever punctuation or the end of a line separates two words: no
/// phrase crosses it.
[[nodiscard]] std::vector<std::string> words_and_breaks_of(std::string_view text);

/// Whether two words differ in at most one byte, which is replaced, left out or inserted.
[[nodiscard]] bool is_nearly(std::string_view left, std::string_view right);

/// The text's words in lower-case Latin letters without accents ("Café" is "cafe") and digits.
/// Every other character separates words, except apostrophes. So do invalid bytes.
[[nodiscard]] std::vector<std::string> folded_words_of(std::string_view text);

/// Whether most letters of the text are Latin.
[[nodiscard]] bool is_mostly_latin(std::string_view text);

/// The length of the passage that `text` begins with, at most `bytes_max`. It ends with a line,
/// else a sentence, else a word or a mark such as a Chinese comma, if there is one in its second
/// half.
[[nodiscard]] std::size_t passage_length(std::string_view text, std::size_t bytes_max);

/// The text's sentences, trimmed, with their punctuation. The end of a line also ends a sentence.
[[nodiscard]] std::vector<std::string> sentences_of(std::string_view text);

/// Whether the last character is a mark that ends a sentence, in any script.
[[nodiscard]] bool ends_with_sentence_mark(std::string_view text);

/// The first `words_max` whitespace-separated words, with "..." if there are more.
[[nodiscard]] std::string first_words(std::string_view text, std::size_t words_max);

/// Whether a word says nothing about the subject: articles, pronouns, auxiliaries, everyday verbs.
[[nodiscard]] bool is_stop_word(std::string_view word);

/// A word's form for comparison, without a plural's s: "tips" and "tip" are equal.
[[nodiscard]] std::string stem_of(std::string_view word);

/// The stems of the content words, in order, with repetitions.
[[nodiscard]] std::vector<std::string> content_stems_of(std::string_view text);

/// The text without hash signs, and without the hashtags and mentions at the end and the links at
/// both ends of each line.
[[nodiscard]] std::string without_tags(std::string_view caption);

/// The text with single spaces and without links.
[[nodiscard]] std::string without_links(std::string_view text);

/// "3 WAYS TO MAKE COFFEE! TRY IT" -> "3 ways to make coffee! Try it". A text that is not in
/// capitals is unchanged, except that invalid bytes become U+FFFD.
[[nodiscard]] std::string sentence_case(std::string_view text);

/// "here are three tips" -> "Here are three tips."; keeps punctuation and names like "iPhone".
[[nodiscard]] std::string as_sentence(std::string_view text);

/// A text for comparison: compatibility forms, letter case, whitespace, punctuation and invisible
/// characters make no difference. Refers to the text. Source: Unicode, NFKD and case folding.
class folded_text {
public:
    /// An invalid byte is U+FFFD.
    explicit folded_text(std::string_view text);

    [[nodiscard]] const std::u32string& letters() const noexcept { return letters_; }

    /// The part of the text that folds to `quote`, whole words and numbers; empty if there is none.
    /// A quotation of one character is only found if it is the whole text.
    [[nodiscard]] std::string_view find(const folded_text& quote) const;

private:
    struct range {
        std::size_t begin;
        std::size_t end;
    };

    void add(range part);

    std::string_view text_;
    std::u32string letters_;     ///< Letters, marks, digits and symbols, decomposed.
    std::vector<range> origin_;  ///< Of each letter in the text.
};

/// The files of src/model/word_lists, written by the build.
namespace word_lists {
extern const std::string_view call_to_action;
extern const std::string_view formats;
extern const std::string_view languages;
extern const std::string_view phantom_phrases;
extern const std::string_view stop_words;
extern const std::string_view subtitle_credits;
}  // namespace word_lists

/// The lines of a list, without comments, which begin with "# ".
[[nodiscard]] std::vector<std::string_view> entries_of(std::string_view list);

}  // namespace reelsd::model
