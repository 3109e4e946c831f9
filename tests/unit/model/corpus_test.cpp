#include "local/corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

corpus spoken(
    std::vector<std::string> utterances, std::string_view caption = {}, bool doubtful = false) {
    std::vector<timed_text> segments;
    double at = 0;
    for (auto& text : utterances) {
        segments.push_back({std::move(text), at, at + 2});
        at += 3;
    }
    return corpus_of({}, {.segments = std::move(segments), .doubtful = doubtful}, caption, {});
}

corpus written(std::string_view caption, std::vector<std::string> hashtags = {}) {
    return corpus_of({}, {}, caption, hashtags);
}

TEST(JoinedLines, JoinsLinesOfOneCaption) {
    const auto blocks = joined_lines(
        {{"3 TIPS FOR", 0.5, 4},
         {"@brand", 0.5, 12},
         {"BETTER COFFEE", 0.75, 4},
         {"1. Fresh", 4.2, 8},
         {"word", 8.1, 8.4},
         {"by", 8.4, 8.8}});

    std::vector<std::string> texts;
    for (const auto& block : blocks) texts.push_back(block.text);
    EXPECT_THAT(texts, ElementsAre("3 TIPS FOR BETTER COFFEE", "@brand", "1. Fresh", "word", "by"));
}

TEST(CentralSentence, HasTheWordsOfTheOthers) {
    struct test_case {
        const char* name;
        corpus text;
        std::string summary;
    };
    const test_case cases[] = {
        {"nothing", {}, ""},
        {"a label, if there is nothing else", written("Good morning"), "Good morning."},
        {"of labels the first", written("Coffee. Tea."), "Coffee."},
        {"no label if there is a sentence",
         spoken({"coffee", "coffee beans", "we drink it"}),
         "We drink it."},
        {"a script without spaces",
         written("\u5927\u5BB6\u597D\n\u4ECA\u5929\u6211\u4EEC\u505A\u9762\u5305"),
         "\u4ECA\u5929\u6211\u4EEC\u505A\u9762\u5305"},
        {"the only sentence", spoken({"we went to the market"}), "We went to the market."},
        {"the shared words",
         spoken(
             {"good morning everybody out there",
              "better coffee needs fresh beans",
              "grind the beans for each coffee"}),
         "Better coffee needs fresh beans."},
        {"not the misheard one",
         spoken(
             {"bitter coffee knees flesh beans now", "coffee beans"}, "Coffee needs beans.", true),
         "Coffee needs beans."},
        {"not the request",
         spoken({"follow for more coffee and beans", "coffee from fresh beans"}),
         "Coffee from fresh beans."},
        {"the caption is spelled best",
         spoken({"how to brew better coffee"}, "How to brew better coffee!"),
         "How to brew better coffee!"},
        {"a spoken sentence, not the same words on screen",
         corpus_of(
             {{"3 WAYS TO BETTER COFFEE", 0, 3}},
             {{{"Here are three ways to better coffee.", 0, 3}}, false},
             "",
             {}),
         "Here are three ways to better coffee."},
        {"no capitals",
         corpus_of({{"3 WAYS TO BETTER COFFEE", 0, 3}}, {}, "", {}),
         "3 ways to better coffee."},
        {"long speech is cut",
         spoken({"a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 "
                 "a23 a24 a25 a26 a27 a28 a29 a30 a31"}),
         "A1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23 a24 "
         "a25 a26 a27 a28 a29 a30..."},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(central_sentence(expected.text), expected.summary);
    }
}

TEST(KeyPhrases, NameTheSubject) {
    EXPECT_THAT(key_phrases({}), IsEmpty());
    EXPECT_THAT(
        key_phrases(spoken({"use a paper filter", "rinse the paper filter with hot water"})),
        ElementsAre("paper filter", "hot water", "rinse"));
    EXPECT_THAT(
        key_phrases(written("Follow for more paper planes", {"#Origami", "fyp", "viral"})),
        ElementsAre("origami"))
        << "without requests and hashtags for reach";
    EXPECT_THAT(
        key_phrases(written("tips tip tips. A second word")), ElementsAre("tips tip tips", "word"));
}

TEST(KeyPhrases, AreAtMostEight) {
    EXPECT_EQ(
        key_phrases(written("red cars, blue boats, green trees, black cats, white dogs, grey "
                            "horses, pink birds, gold fish, silver coins, brown bears"))
            .size(),
        8U);
}

TEST(OpeningLines, AreTheFirstOnScreenAndInSpeech) {
    const std::vector<timed_text> shown{{"3 TIPS", 0.5, 4}, {"Later", 5, 8}};
    const media::speech_report speech{
        .segments = {{"stop doing this", 1, 2}, {"and that", 2.5, 4}}, .doubtful = false};
    const media::speech_report late{.segments = {{"too late", 3.5, 5}}, .doubtful = false};
    const media::speech_report same{.segments = {{"three tips", 0, 2}}, .doubtful = false};
    EXPECT_THAT(
        opening_lines(corpus_of(shown, speech, "Caption", {})),
        ElementsAre("3 TIPS", "stop doing this"));
    EXPECT_THAT(opening_lines(corpus_of({}, late, "Caption", {})), IsEmpty());
    EXPECT_THAT(
        opening_lines(corpus_of({{"Three tips!", 0, 2}}, same, "", {})), ElementsAre("Three tips!"))
        << "repeated words";
}

TEST(DoubtfulSpeech, IsQuotedOnlyWithoutOtherText) {
    const media::speech_report misheard{
        .segments = {{"The nested auction fines hubs", 0, 3}}, .doubtful = true};
    const auto alone = corpus_of({}, misheard, "Wow! Link in bio for more", {});
    EXPECT_EQ(central_sentence(alone), "The nested auction fines hubs.");
    EXPECT_THAT(opening_lines(alone), ElementsAre("The nested auction fines hubs"));

    const auto titled = corpus_of({{"Learn German today", 0, 3}}, misheard, "", {});
    EXPECT_EQ(central_sentence(titled), "Learn German today.");
    EXPECT_THAT(key_phrases(titled), ElementsAre("learn german"));
    EXPECT_THAT(opening_lines(titled), ElementsAre("Learn German today"));
}

TEST(CallToAction, IsQuotedFromTheText) {
    struct test_case {
        const char* name;
        corpus text;
        std::optional<std::string> call;
    };
    const test_case cases[] = {
        {"none", spoken({"we went to the market"}), std::nullopt},
        {"follow", spoken({"hello there", "follow for more"}), "follow for more"},
        {"follow these steps asks nothing", spoken({"follow these steps"}), std::nullopt},
        {"save money asks nothing", spoken({"how to save money"}), std::nullopt},
        {"link in bio", written("New drop! Link in bio."), "Link in bio."},
        {"comment", written("Comment below what you think"), "Comment below what you think"},
        {"swipe", written("Swipe left to see"), "Swipe left to see"},
        {"shop", written("SHOP NOW"), "SHOP NOW"},
        {"subscribe", spoken({"subscribe"}), "subscribe"},
        {"long speech is cut before the request",
         spoken({"so that is all there is to know about the good old paper filter follow for more "
                 "tips"}),
         "follow for more tips"},
        {"a long sentence is quoted verbatim",
         written("Three exercises for a strong back that I do each and every morning, and "
                 "follow me @anna.k_fit for more, it's free (50% off at www.shop-now.test)!"),
         "follow me @anna.k_fit for more, it's free (50% off at www.shop-now.test)!"},
        {"on-screen text comes first",
         corpus_of({{"Save this!", 9, 12}}, {{{"follow for more", 9, 10}}, false}, "", {}),
         "Save this!"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(call_to_action(expected.text), expected.call);
        EXPECT_EQ(
            expected.call.has_value(),
            std::any_of(
                expected.text.sentences.begin(),
                expected.text.sentences.end(),
                [](const sentence& one) { return is_call_to_action(one.text); }));
    }
}

TEST(KeyPhrases, HaveNoPartsOfLinks) {
    EXPECT_THAT(
        key_phrases(written("Fresh pasta at www.shop-now.test today")),
        ::testing::Not(::testing::Contains(::testing::HasSubstr("shop"))));
}

TEST(FormatOf, RequiresEvidence) {
    EXPECT_EQ(format_of(written("A walk in the park")), "");
    EXPECT_EQ(format_of(written("How to fold a paper plane")), "tutorial");
    EXPECT_EQ(format_of(written("Pancake recipe. Ingredients below")), "recipe");
    EXPECT_EQ(format_of(written("A day in my life", {"vlog"})), "vlog");
    EXPECT_EQ(format_of(written("My morning", {"dayinmylife"})), "vlog");
    EXPECT_EQ(format_of(written("Prepare for a job interview")), "");
    EXPECT_EQ(format_of(written("New shoes", {"ad"})), "advertisement");
    EXPECT_EQ(
        format_of(written("Two tips. Shop now with free shipping, use code X")), "advertisement");
}

}  // namespace
}  // namespace reelsd::model
