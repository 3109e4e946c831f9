#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Language in plain words: what the local analyzer's reading of text is built from. English; other
/// languages pass through as words without stop words.
namespace reelsd::model {

/// The words of a text in lower case, in order: letters, digits and inner apostrophes. Signs, emoji
/// and punctuation separate.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// The same, with an empty word wherever punctuation or a line's end stands between two words: no
/// phrase goes across it.
[[nodiscard]] std::vector<std::string> words_and_breaks_of(std::string_view text);

/// The text's sentences, trimmed, with their punctuation. A line's end closes one too.
[[nodiscard]] std::vector<std::string> sentences_of(std::string_view text);

/// The first `words_max` blank-separated words; "..." follows when that was not all.
[[nodiscard]] std::string first_words(std::string_view text, std::size_t words_max);

/// A word that says nothing about the subject: articles, pronouns, auxiliaries, everyday verbs.
[[nodiscard]] bool is_stop_word(std::string_view word) noexcept;

/// A word's form for comparing: without a plural's s. "tips" and "tip" are one.
[[nodiscard]] std::string stem_of(std::string_view word);

/// The stems of the words that mean something, in order, repeated as they stand.
[[nodiscard]] std::vector<std::string> content_stems_of(std::string_view text);

/// A text to read by: no links, no hash signs, no trailing run of hashtags and mentions.
[[nodiscard]] std::string without_tags(std::string_view caption);

/// "here are three tips" -> "Here are three tips."; what has its marks keeps them.
[[nodiscard]] std::string as_sentence(std::string_view text);

}  // namespace reelsd::model
