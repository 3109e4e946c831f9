#include "words.hpp"

#include <reelsd/model/search_document.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WordsOf, SplitsAtNonLetters) {
    EXPECT_THAT(
        words_of("Here are 3 TIPS, really!"), ElementsAre("here", "are", "3", "tips", "really"));
    EXPECT_THAT(words_of("don't don\u2019t 'quoted'"), ElementsAre("don't", "don't", "quoted"));
    EXPECT_THAT(
        words_of("caf\u00e9 \u2615\U0001F600 \u043a\u043e\u0444\u0435"),
        ElementsAre("caf\u00e9", "\u043a\u043e\u0444\u0435"));
    EXPECT_THAT(words_of("#fresh_beans @user"), ElementsAre("fresh", "beans", "user"));
    EXPECT_THAT(words_of(" ... !"), IsEmpty());
    EXPECT_THAT(words_of("\xff\xfe"), IsEmpty());
}

TEST(WordsOf, DoesNotDependOnHowAccentsAreEncoded) {
    EXPECT_EQ(words_of("Zu\u0308rcher Bru\u0302le\u0301e"), words_of("Zürcher Brûlée"));
    EXPECT_EQ(words_of("\u30ab\u3099\u30e9\u30b9"), words_of("ガラス"));
}

TEST(SearchText, HasWordsInTheFormOfSearches) {
    struct test_case {
        std::string_view text;
        std::vector<std::string> words;
    };
    const test_case cases[] = {
        {"Cr\u00E8me br\u00FBl\u00E9e, M\u00FCnchen", {"creme", "brulee", "munchen"}},
        {"Ph\u1EDF b\u00F2 \u00B7 Nguy\u1EC5n", {"pho", "bo", "nguyen"}},
        {"Sm\u00F8rrebr\u00F8d Stra\u00DFe", {"smorrebrod", "strasse"}},
        {"Zylostra.Link Hafermilch/Dinkelmehl", {"zylostra", "link", "hafermilch", "dinkelmehl"}},
        {"3.5 or 1/2 cup. Done", {"3.5", "or", "1/2", "cup", "done"}},
        {"\u6771\u4EAC\u30BF\u30EF\u30FC\u306E",  // Four pairs of Han, Katakana and Hiragana.
         {"\u6771\u4EAC", "\u4EAC\u30BF", "\u30BF\u30EF", "\u30EF\u30FC", "\u30FC\u306E"}},
        {"2024\u5E74", {"2024", "\u5E74"}},
        {"\u0E1C\u0E31\u0E14", {"\u0E1C\u0E31", "\u0E31\u0E14"}},
        // Other marks make other letters.
        {"\u0439\u043E\u0433\u0443\u0440\u0442", {"\u0439\u043E\u0433\u0443\u0440\u0442"}},
        {"Ёлка Їжа", {"елка", "їжа"}},
        {"Καλημέρα Ωραίος", {"καλημερα", "ωραιοσ"}},
        {"مَرْحَبًا أهلاً مـــرحبا", {"مرحبا", "اهلا", "مرحبا"}},
        {"\uD55C\uAD6D \uC74C\uC2DD", {"\uD55C\uAD6D", "\uC74C\uC2DD"}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        std::istringstream words{search_text(expected.text)};
        std::vector<std::string> read;
        for (std::string word; words >> word;) {
            while (word.ends_with(',') || word.ends_with('.')) word.pop_back();
            if (word != "\u00B7") read.push_back(word);
        }
        EXPECT_EQ(read, expected.words);
    }
}

TEST(IndexedText, HasEachHanLetterAsAWord) {
    const auto words = [](std::string_view text) {
        std::istringstream written{indexed_text(text)};
        return std::vector<std::string>{
            std::istream_iterator<std::string>{written}, std::istream_iterator<std::string>{}};
    };
    EXPECT_THAT(
        words("い猫の 2024年"),  // Han between Hiragana; alone.
        ElementsAre("い猫", "猫", "猫の", "2024", "年"));
    EXPECT_THAT(words("東京"), ElementsAre("東", "東京", "京"));
    EXPECT_THAT(words("ラテ Crème"), ElementsAre("ラテ", "creme"));
}

TEST(WordsAndBreaksOf, MarksWherePhrasesEnd) {
    EXPECT_THAT(
        words_and_breaks_of("salt & pepper, ice-cream\nend."),
        ElementsAre("salt", "pepper", "", "ice", "cream", "", "end", ""));
}

TEST(SentencesOf, EndsAtMarksAndLines) {
    struct test_case {
        const char* name;
        std::string_view text;
        std::vector<std::string> sentences;
    };
    const test_case cases[] = {
        {"no mark", "here are three tips", {"here are three tips"}},
        {"three marks", "One. Two! Three?", {"One.", "Two!", "Three?"}},
        {"many marks", "What?! Yes...", {"What?!", "Yes..."}},
        {"lines", "first\n\nsecond\n", {"first", "second"}},
        {"a decimal", "It takes 2.5 minutes. Done.", {"It takes 2.5 minutes.", "Done."}},
        {"an abbreviation", "I met Mr. Smith. He left.", {"I met Mr. Smith.", "He left."}},
        {"a list number", "1. Fresh beans\n2. Clean water", {"1. Fresh beans", "2. Clean water"}},
        {"an address", "Go to example.com now", {"Go to example.com now"}},
        {"a question mark in a link",
         "See https://x.test/?a=b! It is free.",
         {"See https://x.test/?a=b!", "It is free."}},
        {"only marks", "... !!", {}},
        {"empty", "", {}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(sentences_of(expected.text), expected.sentences);
    }
}

TEST(FirstWords, MarksCuts) {
    EXPECT_EQ(first_words("one two  three", 3), "one two three");
    EXPECT_EQ(first_words("one two three four", 3), "one two three...");
    EXPECT_EQ(first_words("", 3), "");
}

TEST(StemOf, RemovesPlurals) {
    EXPECT_EQ(stem_of("tips"), stem_of("tip"));
    EXPECT_EQ(stem_of("berries"), stem_of("berry"));
    EXPECT_EQ(stem_of("coffee's"), "coffee");
    EXPECT_EQ(stem_of("glass"), "glass");
    EXPECT_EQ(stem_of("bus"), "bus");
}

TEST(ContentStemsOf, OmitsStopWords) {
    EXPECT_THAT(content_stems_of("Here are the best tips for you"), ElementsAre("best", "tip"));
    EXPECT_TRUE(is_stop_word("the"));
    EXPECT_FALSE(is_stop_word("coffee"));
}

TEST(WithoutTags, KeepsTheText) {
    EXPECT_EQ(
        without_tags("My #coffee is good #fyp @user\n#a #b\nhttps://x.test end"),
        "My coffee is good\nend\n");
    EXPECT_EQ(
        without_tags("50% off (at www.shop.test)!\nSee https://x.test/a?b=1 first https://x.test"),
        "50% off (at www.shop.test)!\nSee https://x.test/a?b=1 first\n");
    EXPECT_EQ(without_tags(""), "");
}

TEST(SentenceCase, LowersCapitalsAlone) {
    EXPECT_EQ(sentence_case("3 WAYS TO MAKE BETTER COFFEE"), "3 ways to make better coffee");
    EXPECT_EQ(
        sentence_case("STOP! WHAT I DO, I'M DONE. 2.5 KG"), "Stop! What I do, I'm done. 2.5 kg");
    EXPECT_EQ(sentence_case("\u00c9T\u00c9 \u00c0 PARIS"), "\u00c9t\u00e9 \u00e0 paris");
    EXPECT_EQ(sentence_case("Buy it in the USA"), "Buy it in the USA");
    EXPECT_EQ(sentence_case("here we go"), "here we go");
    EXPECT_EQ(sentence_case("\xff 123"), "\ufffd 123");
    EXPECT_EQ(sentence_case(""), "");
}

TEST(AsSentence, AddsCapitalAndFullStop) {
    EXPECT_EQ(as_sentence("here we go"), "Here we go.");
    EXPECT_EQ(as_sentence(" Ready? "), "Ready?");
    EXPECT_EQ(as_sentence("iPhone 16 tips"), "iPhone 16 tips.");
    EXPECT_EQ(as_sentence("two\nlines"), "Two lines.");
    EXPECT_EQ(as_sentence(""), "");
}

TEST(FoldedWordsOf, RemovesCaseAndAccents) {
    EXPECT_THAT(
        folded_words_of("CAF\u00c9 cre\u0300me, Stra\u00dfe! don\u2019t \uff21\uff22\uff11"),
        ElementsAre("cafe", "creme", "strasse", "dont", "ab1"));
    EXPECT_THAT(
        folded_words_of("\u0141\u00f3d\u017a \u01a1\u1ebf \u0131\u011f"),
        ElementsAre("lodz", "oe", "ig"));
    EXPECT_THAT(folded_words_of("\u0432\u043e\u0442 \U0001F600 \xff"), IsEmpty());
}

TEST(IsMostlyLatin, ComparesLetters) {
    EXPECT_TRUE(is_mostly_latin("caf\u00e9 \u00e0 la cr\u00e8me 123"));
    EXPECT_TRUE(is_mostly_latin("three \u0432\u043e\u0442"));
    EXPECT_FALSE(is_mostly_latin("\u0432\u043e\u0442 \u0442\u0440\u0438 no"));
    EXPECT_FALSE(is_mostly_latin("123 \U0001F600"));
}

TEST(WordCount, CountsLettersOfScriptsWithoutSpaces) {
    EXPECT_EQ(word_count(""), 0U);
    EXPECT_EQ(word_count("Don't look, \u0434\u043E\u043C"), 3U);
    EXPECT_EQ(word_count("\u5927\u5BB6\u597D"), 1U) << "Chinese";
    EXPECT_EQ(word_count("\u4ECA\u5929\u6211\u4EEC\u505A\u9762\u5305"), 3U);
    EXPECT_EQ(word_count("\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35 ok"), 4U) << "Thai";
    EXPECT_EQ(word_count("\uC548\uB155\uD558\uC138\uC694"), 1U) << "Korean has spaces";
}

}  // namespace
}  // namespace reelsd::model
