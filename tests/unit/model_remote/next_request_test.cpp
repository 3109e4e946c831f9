// Goal: each change of the request is tried once, when it may help, and a video has at most three
// paid requests.
#include "chat_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> none;
const std::vector<std::string> wrong{"visual is missing"};

TEST(NextRequest, AGoodAnswerIsFinal) {
    tried_changes tried;
    EXPECT_FALSE(next_request({}, reply_end::complete, none, tried));
    EXPECT_EQ(tried.paid_after.size(), 0U);
}

TEST(NextRequest, ARefusalIsFinal) {
    tried_changes tried;
    EXPECT_FALSE(next_request({}, reply_end::refused, none, tried));
    EXPECT_FALSE(next_request({}, reply_end::refused, wrong, tried));
}

TEST(NextRequest, TheNextRequestNamesTheFaults) {
    tried_changes tried;
    const auto next = next_request({.without_thinking = true}, reply_end::complete, wrong, tried);
    ASSERT_TRUE(next);
    EXPECT_THAT(next->note, HasSubstr("visual is missing"));
    EXPECT_TRUE(next->without_thinking) << "earlier changes remain";
    EXPECT_FALSE(next_request(*next, reply_end::complete, wrong, tried));
}

TEST(NextRequest, ATruncatedAnswerGetsALargerLimitAndLessThinking) {
    tried_changes tried;
    const auto next = next_request({}, reply_end::truncated, none, tried);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->larger_cap);
    EXPECT_TRUE(next->least_thinking);
    EXPECT_THAT(next->note, IsEmpty());
    EXPECT_FALSE(next_request(*next, reply_end::truncated, none, tried));
}

TEST(NextRequest, ARecitedAnswerIsParaphrased) {
    tried_changes tried;
    const auto next = next_request({}, reply_end::recited, none, tried);
    ASSERT_TRUE(next);
    EXPECT_THAT(next->note, HasSubstr("own words"));
    EXPECT_FALSE(next->larger_cap);
    EXPECT_FALSE(next_request(*next, reply_end::recited, none, tried));
}

TEST(NextRequest, AnEmptyAnswerIsRequestedOnceMore) {
    tried_changes tried;
    EXPECT_TRUE(next_request({}, reply_end::unspecified, none, tried));
    EXPECT_FALSE(next_request({}, reply_end::unspecified, none, tried));
}

TEST(NextRequest, AtMostTwoFurtherRequestsArePaid) {
    constexpr reply_end ends[] = {
        reply_end::complete, reply_end::truncated, reply_end::recited, reply_end::unspecified};
    for (const auto first : ends) {
        for (const auto second : ends) {
            if (first == second) continue;
            tried_changes tried;
            EXPECT_TRUE(next_request({}, first, wrong, tried));
            EXPECT_TRUE(next_request({}, second, wrong, tried));
            for (const auto third : ends) EXPECT_FALSE(next_request({}, third, wrong, tried));
            EXPECT_EQ(tried.paid_after.size(), 2U);
        }
    }
}

TEST(NextRequest, ALargeVideoIsUploadedInstead) {
    tried_changes tried;
    const auto next = next_request({}, failure_kind::payload_too_large, tried);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->as_file);
    EXPECT_FALSE(next_request(*next, failure_kind::payload_too_large, tried));
    EXPECT_EQ(tried.paid_after.size(), 0U) << "a refusal costs nothing";
}

TEST(NextRequest, ARefusedSchemaIsReplacedStepByStep) {
    tried_changes tried;
    const auto json = next_request({}, failure_kind::schema_refused, tried);
    ASSERT_TRUE(json);
    EXPECT_EQ(json->format, answer_format::json);
    const auto text = next_request(*json, failure_kind::schema_refused, tried);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->format, answer_format::text);
    EXPECT_FALSE(next_request(*text, failure_kind::schema_refused, tried));
}

TEST(NextRequest, RefusedSettingsAreOmitted) {
    tried_changes tried;
    const auto next = next_request({}, failure_kind::thinking_refused, tried);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->without_thinking);
    EXPECT_FALSE(next_request(*next, failure_kind::thinking_refused, tried));
}

TEST(NextRequest, AMissingFileIsUploadedOnceMore) {
    tried_changes tried;
    const auto next = next_request({.as_file = true}, failure_kind::file_gone, tried);
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->as_file);
    EXPECT_FALSE(next_request(*next, failure_kind::file_gone, tried));
}

TEST(NextRequest, OtherFailuresAreFinal) {
    for (const auto kind :
         {failure_kind::misconfigured,
          failure_kind::unauthorized,
          failure_kind::quota_exhausted,
          failure_kind::rate_limited,
          failure_kind::overloaded,
          failure_kind::transient,
          failure_kind::slow,
          failure_kind::limit_too_large,
          failure_kind::context_exceeded,
          failure_kind::request_too_large,
          failure_kind::input_flagged,
          failure_kind::video_rejected,
          failure_kind::file_not_ready,
          failure_kind::no_calls_left,
          failure_kind::storage,
          failure_kind::no_database,
          failure_kind::cancelled}) {
        tried_changes tried;
        EXPECT_FALSE(next_request({}, kind, tried)) << name_of(kind);
    }
}

TEST(NextRequest, UnknownMembersAreOmittedOrRenamedOnce) {
    tried_changes tried;
    const auto stored = next_request(request_options{}, failure_kind::store_refused, tried);
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->without_store);
    EXPECT_FALSE(stored->without_thinking);
    EXPECT_FALSE(next_request(*stored, failure_kind::store_refused, tried));
    const auto renamed = next_request(*stored, failure_kind::limit_refused, tried);
    ASSERT_TRUE(renamed);
    EXPECT_TRUE(renamed->other_limit_name);
    EXPECT_FALSE(next_request(*renamed, failure_kind::limit_refused, tried));
}

TEST(NextRequest, OnlyALargerTokenLimitLeavesAnAnswerCutOff) {
    for (const auto kind :
         {failure_kind::limit_too_large,
          failure_kind::context_exceeded,
          failure_kind::video_rejected}) {
        EXPECT_FALSE(cut_off_error({}, {.kind = kind})) << name_of(kind);
        const auto why = cut_off_error({.larger_cap = true}, {.kind = kind});
        ASSERT_TRUE(why) << name_of(kind);
        EXPECT_EQ(why->code(), errc::model_refused);
    }
    EXPECT_FALSE(cut_off_error({.larger_cap = true}, {.kind = failure_kind::overloaded}));
}

}  // namespace
}  // namespace reelsd::model
