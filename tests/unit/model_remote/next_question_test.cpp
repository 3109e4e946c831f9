// Goal: each way of asking again is taken once, in the case in which it helps, and no video costs
// more than three questions.
#include "next_question.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> none;
const std::vector<std::string> wrong{"visual is missing"};

TEST(NextQuestion, AGoodAnswerNeedsNone) {
    tried_ways ways;
    EXPECT_FALSE(question_after({}, reply_end::complete, none, ways));
    EXPECT_EQ(ways.paid_again, 0);
}

TEST(NextQuestion, ARefusalIsFinal) {
    tried_ways ways;
    EXPECT_FALSE(question_after({}, reply_end::refused, none, ways));
    EXPECT_FALSE(question_after({}, reply_end::refused, wrong, ways));
}

TEST(NextQuestion, AFaultyAnswerIsAskedForWithItsFaults) {
    tried_ways ways;
    const auto next = question_after({.without_thinking = true}, reply_end::complete, wrong, ways);
    ASSERT_TRUE(next);
    EXPECT_THAT(next->note, HasSubstr("visual is missing"));
    EXPECT_TRUE(next->without_thinking) << "what was learned on the way stays";
    EXPECT_FALSE(question_after(*next, reply_end::complete, wrong, ways));
}

TEST(NextQuestion, ACutOffAnswerGetsMoreRoomAndLessThinking) {
    tried_ways ways;
    const auto next = question_after({}, reply_end::truncated, none, ways);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->larger_cap);
    EXPECT_TRUE(next->least_thinking);
    EXPECT_THAT(next->note, IsEmpty());
    EXPECT_FALSE(question_after(*next, reply_end::truncated, none, ways));
}

TEST(NextQuestion, ARecitedAnswerIsAskedForInOtherWords) {
    tried_ways ways;
    const auto next = question_after({}, reply_end::recited, none, ways);
    ASSERT_TRUE(next);
    EXPECT_THAT(next->note, HasSubstr("own words"));
    EXPECT_FALSE(next->larger_cap);
    EXPECT_FALSE(question_after(*next, reply_end::recited, none, ways));
}

TEST(NextQuestion, NothingForNoReasonIsAskedForOnceMore) {
    tried_ways ways;
    EXPECT_TRUE(question_after({}, reply_end::unspecified, none, ways));
    EXPECT_FALSE(question_after({}, reply_end::unspecified, none, ways));
}

TEST(NextQuestion, AtMostTwoFurtherOnesArePaid) {
    constexpr reply_end ends[] = {
        reply_end::complete, reply_end::truncated, reply_end::recited, reply_end::unspecified};
    for (const auto first : ends) {
        for (const auto second : ends) {
            if (first == second) continue;
            tried_ways ways;
            EXPECT_TRUE(question_after({}, first, wrong, ways));
            EXPECT_TRUE(question_after({}, second, wrong, ways));
            for (const auto third : ends) EXPECT_FALSE(question_after({}, third, wrong, ways));
            EXPECT_EQ(ways.paid_again, 2);
        }
    }
}

TEST(NextQuestion, ALargeVideoIsUploadedInstead) {
    tried_ways ways;
    const auto next = question_after({}, failure_kind::payload_too_large, ways);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->as_file);
    EXPECT_FALSE(question_after(*next, failure_kind::payload_too_large, ways));
    EXPECT_EQ(ways.paid_again, 0) << "a refusal costs nothing";
}

TEST(NextQuestion, ASchemaIsGivenUpStepByStep) {
    tried_ways ways;
    const auto json = question_after({}, failure_kind::schema_refused, ways);
    ASSERT_TRUE(json);
    EXPECT_EQ(json->format, answer_format::json);
    const auto text = question_after(*json, failure_kind::schema_refused, ways);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->format, answer_format::text);
    EXPECT_FALSE(question_after(*text, failure_kind::schema_refused, ways));
}

TEST(NextQuestion, SettingsThatAreRefusedAreLeftOut) {
    tried_ways ways;
    const auto next = question_after({}, failure_kind::thinking_refused, ways);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->without_thinking);
    EXPECT_FALSE(question_after(*next, failure_kind::thinking_refused, ways));
}

TEST(NextQuestion, AFileThatIsGoneIsUploadedOnceMore) {
    tried_ways ways;
    const auto next = question_after({.as_file = true}, failure_kind::file_gone, ways);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->as_file);
    EXPECT_FALSE(question_after(*next, failure_kind::file_gone, ways));
}

TEST(NextQuestion, OtherFailuresAreNotMendedByAskingOtherwise) {
    for (const auto kind :
         {failure_kind::misconfigured,
          failure_kind::unauthorized,
          failure_kind::quota_exhausted,
          failure_kind::rate_limited,
          failure_kind::overloaded,
          failure_kind::transient,
          failure_kind::slow,
          failure_kind::video_rejected,
          failure_kind::file_not_ready,
          failure_kind::no_calls_left,
          failure_kind::storage,
          failure_kind::no_database,
          failure_kind::cancelled}) {
        tried_ways ways;
        EXPECT_FALSE(question_after({}, kind, ways)) << name_of(kind);
    }
}

TEST(NextQuestion, WhatAServerDoesNotKnowIsLeftOutOrCalledOtherwiseOnce) {
    tried_ways ways;
    const auto stored = question_after(question{}, failure_kind::store_refused, ways);
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->without_store);
    EXPECT_FALSE(stored->without_thinking);
    EXPECT_FALSE(question_after(*stored, failure_kind::store_refused, ways));
    const auto renamed = question_after(*stored, failure_kind::limit_refused, ways);
    ASSERT_TRUE(renamed);
    EXPECT_TRUE(renamed->other_limit_name);
    EXPECT_FALSE(question_after(*renamed, failure_kind::limit_refused, ways));
}

}  // namespace
}  // namespace reelsd::model
