#include "local/description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

struct sources {
    std::vector<double> cuts{};
    std::vector<timed_text> texts{};
    std::vector<timed_text> speech{};
    std::optional<double> music_start{};

    [[nodiscard]] std::vector<key_moment> moments() const {
        return key_moments_from(
            {.cuts = cuts, .texts = texts, .speech = speech, .music_start = music_start});
    }
};

// Goal: every kind of event is described by a moment, and near events are merged.
TEST(KeyMoments, DescribeWhatHappens) {
    struct test_case {
        const char* name;
        sources given;
        std::vector<std::pair<double, std::string>> moments;
    };
    const test_case cases[] = {
        {"nothing", {}, {}},
        {"cuts are counted", {.cuts = {4, 8}}, {{4, "Scene 2 begins."}, {8, "Scene 3 begins."}}},
        {"a text", {.texts = {{"3 TIPS", 1, 3}}}, {{1, "The text \"3 TIPS\" appears."}}},
        {"a repeated text",
         {.texts = {{"3 TIPS", 1, 3}, {"3 tips!", 6, 9}}},
         {{1, "The text \"3 TIPS\" appears."}}},
        {"texts with other numbers",
         {.texts = {{"Tip 1 of 5", 1, 3}, {"Tip 2 of 5", 3, 5}, {"Tip 3", 5, 7}}},
         {{1, "The text \"Tip 1 of 5\" appears."},
          {3, "The text \"Tip 2 of 5\" appears."},
          {5, "The text \"Tip 3\" appears."}}},
        {"texts with another word",
         {.texts =
              {{"What I eat on Monday", 1, 3},
               {"What I eat on Tuesday", 3, 5},
               {"I woke up at 5am", 5, 7},
               {"I woke up at 8am", 7, 9},
               {"Foods that are healthy", 9, 11},
               {"Foods that are unhealthy", 11, 13}}},
         {{1, "The text \"What I eat on Monday\" appears."},
          {3, "The text \"What I eat on Tuesday\" appears."},
          {5, "The text \"I woke up at 5am\" appears."},
          {7, "The text \"I woke up at 8am\" appears."},
          {9, "The text \"Foods that are healthy\" appears."},
          {11, "The text \"Foods that are unhealthy\" appears."}}},
        {"a misread text",
         {.texts = {{"Mix it with sugar", 1, 3}, {"Mix it with sugor", 3, 5}}},
         {{1, "The text \"Mix it with sugar\" appears."}}},
        {"spoken sentences with another word",
         {.speech = {{"Now we add the salt.", 1, 2}, {"Now we add the flour.", 6, 7}}},
         {{1, "A voice says \"Now we add the salt\"."},
          {6, "A voice says \"Now we add the flour\"."}}},
        {"marks alone are not a text", {.texts = {{"...", 1, 3}}}, {}},
        {"speech after a pause",
         {.speech = {{"hello there", 0.2, 2}, {"without a pause", 2.3, 4}, {"again", 6, 7}}},
         {{0.2, "A voice says \"hello there\"."}, {6, "A voice says \"again\"."}}},
        {"sentences of continuous speech, 4 s apart",
         {.speech =
              {{"Start with the castle.", 0, 2},
               {"The view is good.", 2, 4},
               {"Next, take the tram,", 4, 8},
               {"which leaves at noon.", 8, 9},
               {"Eat a tart.", 9, 12}}},
         {{0, "A voice says \"Start with the castle\"."},
          {4, "A voice says \"Next, take the tram,\"."},
          {9, "A voice says \"Eat a tart\"."}}},
        {"sentences of a long video, over its whole length",
         {.speech = {{"Start.", 0, 5}, {"Go on.", 5, 10}, {"Rest.", 10, 15}, {"Finish.", 15, 120}}},
         {{0, "A voice says \"Start\"."}, {10, "A voice says \"Rest\"."}}},
        {"music", {.music_start = 2.5}, {{2.5, "Music sets in."}}},
        {"near events",
         {.cuts = {4}, .texts = {{"Fresh beans", 4.3, 8}}, .speech = {{"Grind them.", 5, 7}}},
         {{4,
           "Scene 2 begins, the text \"Fresh beans\" appears and a voice says \"Grind them\"."}}},
        {"texts of one moment",
         {.texts = {{"Fresh beans", 4, 8}, {"Clean water", 4.5, 8}, {"Time", 5, 8}}},
         {{4, "The texts \"Fresh beans\", \"Clean water\" and \"Time\" appear."}}},
        {"exactly 1.5 s apart",
         {.cuts = {4, 5.5}},
         {{4, "Scene 2 begins."}, {5.5, "Scene 3 begins."}}},
        {"a chain of near events",
         {.cuts = {1, 2, 3, 4}},
         {{1, "Scene 2 begins and scene 3 begins."}, {3, "Scene 4 begins and scene 5 begins."}}},
        {"long quotes are cut",
         {.speech =
              {{"one two three four five six seven eight nine ten eleven twelve more", 0, 9}}},
         {{0,
           "A voice says \"one two three four five six seven eight nine ten eleven twelve...\"."}}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        std::vector<std::pair<double, std::string>> moments;
        for (const auto& one : expected.given.moments()) {
            moments.emplace_back(one.seconds, one.description);
        }
        EXPECT_EQ(moments, expected.moments);
    }
}

// Goal: words that are shown and spoken are quoted once, in the fuller form.
TEST(KeyMoments, DescribeWhatIsNew) {
    struct test_case {
        const char* name;
        sources given;
        std::vector<std::pair<double, std::string>> moments;
    };
    const test_case cases[] = {
        {"a text before its fuller sentence",
         {.texts = {{"3 WAYS TO MAKE BETTER COFFEE", 0.4, 3}},
          .speech = {{"Here are three ways to make better coffee.", 0.5, 3}}},
         {{0.5, "A voice says \"Here are three ways to make better coffee\"."}}},
        {"captions of the speech, word by word",
         {.texts = {{"fresh", 1.4, 1.8}, {"beans", 1.8, 2.4}, {"tonight", 5, 6}},
          .speech = {{"Always buy fresh beans.", 0.5, 2.5}}},
         {{0.5, "A voice says \"Always buy fresh beans\"."}, {5, "The text \"tonight\" appears."}}},
        {"speech that repeats the text",
         {.texts = {{"Buy fresh beans every week!", 0, 4}}, .speech = {{"Fresh beans.", 2, 3}}},
         {{0, "The text \"Buy fresh beans every week!\" appears."}}},
        {"of the same words the first",
         {.texts = {{"Follow for more", 1.0, 4}}, .speech = {{"Follow for more.", 1.1, 2}}},
         {{1.0, "The text \"Follow for more\" appears."}}},
        {"a text before the speech is no repetition",
         {.texts = {{"Fresh beans", 0, 4}}, .speech = {{"Always buy fresh beans.", 1.5, 3}}},
         {{0, "The text \"Fresh beans\" appears."},
          {1.5, "A voice says \"Always buy fresh beans\"."}}},
        {"a few common words are no repetition",
         {.texts = {{"Fresh cold water", 0, 4}}, .speech = {{"Fresh cold beans every week", 1, 3}}},
         {{0,
           "The text \"Fresh cold water\" appears and a voice says \"Fresh cold beans every "
           "week\"."}}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        std::vector<std::pair<double, std::string>> moments;
        for (const auto& moment : expected.given.moments()) {
            moments.emplace_back(moment.seconds, moment.description);
        }
        EXPECT_EQ(moments, expected.moments);
    }
}

// Goal: the still of a moment shows its texts. Method: a moment with texts and one without.
TEST(KeyMoments, HaveStillsOfTheirLastText) {
    const sources given{.cuts = {4, 8}, .texts = {{"Fresh beans", 4.3, 8}, {"Clean water", 5, 8}}};

    const auto moments = given.moments();

    ASSERT_EQ(moments.size(), 2U);
    EXPECT_EQ(moments[0].seconds, 4);
    EXPECT_EQ(moments[0].still_seconds, 5.125);
    EXPECT_EQ(moments[1].still_seconds, 8);
}

TEST(KeyMoments, KeepTheTwelveOfTheLargestWeight) {
    sources given;
    for (int scene = 1; scene <= 20; ++scene) given.cuts.push_back(scene * 4.0);
    given.texts = {{"near the end", 76, 79}};
    given.speech = {{"and a voice", 80, 81}};

    const auto moments = given.moments();

    ASSERT_EQ(moments.size(), local_moments_max);
    EXPECT_EQ(moments.front().seconds, 4);
    EXPECT_EQ(moments[10].seconds, 76);
    EXPECT_EQ(moments[11].seconds, 80);
    for (std::size_t at = 1; at < moments.size(); ++at) {
        EXPECT_GE(moments[at].seconds - moments[at - 1].seconds, moments_apart_seconds);
    }
}

}  // namespace
}  // namespace reelsd::model
