// Goal: how an answer ended is known before anybody reads its text, and what it has cost is known
// however it ended.
#include "gemini_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::chrono::system_clock::time_point now{};

reply read(std::string_view body) {
    const auto said = gemini_reply(body, now);
    EXPECT_TRUE(said) << said.error().detail;
    return said ? *said : reply{};
}

std::string ended(std::string_view reason, std::string_view parts) {
    return R"({"candidates":[{"content":{"role":"model","parts":[)" + std::string{parts} +
           R"(]},"finishReason":")" + std::string{reason} + R"("}]})";
}

// Goal: what is nested as nobody nests takes no thread's stack.
TEST(GeminiReply, DeepDocumentIsNoAnswer) {
    constexpr std::size_t depth = 100'000;
    const auto body = R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') +
                      R"(,"b":1,"candidates":[]})";
    const auto said = gemini_reply(body, now);
    ASSERT_FALSE(said);
    EXPECT_THAT(said.error().detail, HasSubstr("no JSON object"));
}

TEST(GeminiReply, EachEnd) {
    struct test_case {
        const char* reason;
        reply_end with_text;
        reply_end without_text;
    };
    constexpr auto unspecified = reply_end::unspecified;
    constexpr test_case cases[] = {
        {"STOP", reply_end::complete, unspecified},
        {"MAX_TOKENS", reply_end::truncated, reply_end::truncated},
        {"CONTINUATION", reply_end::truncated, reply_end::truncated},
        {"RECITATION", reply_end::recited, reply_end::recited},
        {"SAFETY", reply_end::refused, reply_end::refused},
        {"PROHIBITED_CONTENT", reply_end::refused, reply_end::refused},
        {"BLOCKLIST", reply_end::refused, reply_end::refused},
        {"SPII", reply_end::refused, reply_end::refused},
        {"LANGUAGE", reply_end::refused, reply_end::refused},
        {"OTHER", unspecified, unspecified},
        {"FINISH_REASON_UNSPECIFIED", unspecified, unspecified},
        {"MALFORMED_FUNCTION_CALL", unspecified, unspecified},
        {"UNEXPECTED_TOOL_CALL", unspecified, unspecified},
        {"TOO_MANY_TOOL_CALLS", unspecified, unspecified},
        {"IMAGE_SAFETY", unspecified, unspecified},
        {"NO_IMAGE", unspecified, unspecified},
        // Whatever they think of next.
        {"SOLAR_FLARE", unspecified, unspecified},
        {"", unspecified, unspecified},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(read(ended(one.reason, R"({"text":"{}"})")).end, one.with_text) << one.reason;
        EXPECT_EQ(read(ended(one.reason, "")).end, one.without_text) << one.reason;
        EXPECT_EQ(read(ended(one.reason, R"({"text":" \n"})")).end, one.without_text) << one.reason;
    }
}

TEST(GeminiReply, TextIsJoinedAndThoughtsAreNot) {
    EXPECT_EQ(
        read(ended(
                 "STOP",
                 R"({"thought":true,"text":"Let me see"},{"text":"{\"a\""},
                    {"thoughtSignature":"x"},{"text":":1}","thought":false},{"inlineData":{}})"))
            .text,
        R"({"a":1})");
    // Only thoughts are no answer.
    EXPECT_EQ(read(ended("STOP", R"({"thought":true,"text":"hm"})")).end, reply_end::unspecified);
}

TEST(GeminiReply, ThinkingUsedAllOfTheRoom) {
    const auto said = read(
        R"({"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS","index":0}],
            "usageMetadata":{"promptTokenCount":100,
             "thoughtsTokenCount":16384,"totalTokenCount":16484}})");
    EXPECT_EQ(said.end, reply_end::truncated);
    EXPECT_THAT(said.text, IsEmpty());
    ASSERT_TRUE(said.used);
    EXPECT_EQ(said.used->prompt, 100);
    EXPECT_EQ(said.used->output, 16'384) << "thinking is paid";
    EXPECT_EQ(said.used->thinking, 16'384);
}

TEST(GeminiReply, RecitationHasNoParts) {
    const auto said = read(
        R"({"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"RECITATION",
            "citationMetadata":{"citationSources":[{"uri":"https://example.com"}]}}]})");
    EXPECT_EQ(said.end, reply_end::recited);
    EXPECT_EQ(said.used, std::nullopt);
}

TEST(GeminiReply, RefusedPrompts) {
    for (const char* reason :
         {"SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "SOMETHING_NEW"}) {
        const auto said = read(
            R"({"promptFeedback":{"blockReason":")" + std::string{reason} +
            R"("},"usageMetadata":{"promptTokenCount":7}})");
        EXPECT_EQ(said.end, reply_end::refused) << reason;
        EXPECT_THAT(said.detail, HasSubstr(reason));
        ASSERT_TRUE(said.used);
        EXPECT_EQ(said.used->prompt, 7);
    }
    // These are what no reason is called.
    for (const char* body :
         {R"({"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"}})",
          R"({"promptFeedback":{"blockReason":"BLOCKED_REASON_UNSPECIFIED"}})",
          R"({"promptFeedback":{}})",
          R"({"candidates":[]})",
          "{}"})
        EXPECT_EQ(read(body).end, reply_end::unspecified) << body;
}

TEST(GeminiReply, CountsOfEveryKind) {
    const auto said = read(
        R"({"candidates":[{"content":{"parts":[{"text":"{}"}]},"finishReason":"STOP"}],
            "usageMetadata":{"promptTokenCount":28950,"cachedContentTokenCount":500,
             "candidatesTokenCount":1210,"thoughtsTokenCount":640,"toolUsePromptTokenCount":50,
             "totalTokenCount":30850,
             "promptTokensDetails":[{"modality":"TEXT","tokenCount":1500},
               {"modality":"VIDEO","tokenCount":25200},{"modality":"AUDIO","tokenCount":2250},
               {"modality":"SMELL","tokenCount":3}],
             "cacheTokensDetails":[{"modality":"AUDIO","tokenCount":500}],
             "candidatesTokensDetails":[{"modality":"TEXT","tokenCount":1210}]},
            "modelVersion":"gemini-3.8-flash","responseId":"k3Zx"})");
    EXPECT_EQ(said.end, reply_end::complete);
    EXPECT_EQ(said.response_id, "k3Zx");
    ASSERT_TRUE(said.used);
    EXPECT_EQ(said.used->prompt, 29'000) << "with what tools have read";
    EXPECT_EQ(said.used->cached_prompt, 500);
    EXPECT_EQ(said.used->output, 1850);
    EXPECT_EQ(said.used->thinking, 640);
    struct part {
        modality kind;
        std::int64_t prompt;
        std::int64_t cached;
        std::int64_t output;
    };
    constexpr part expected[] = {
        {modality::text, 1500, 0, 1210},
        {modality::video, 25'200, 0, 0},
        {modality::audio, 2250, 500, 0},
        {modality::other, 3, 0, 0}};
    ASSERT_EQ(said.used->by_modality.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        EXPECT_EQ(said.used->by_modality[i].kind, expected[i].kind);
        EXPECT_EQ(said.used->by_modality[i].prompt, expected[i].prompt);
        EXPECT_EQ(said.used->by_modality[i].cached_prompt, expected[i].cached);
        EXPECT_EQ(said.used->by_modality[i].output, expected[i].output);
    }
}

TEST(GeminiReply, CountsThatAreNoneAreNothing) {
    struct test_case {
        const char* usage;
        std::int64_t prompt;
    };
    constexpr test_case cases[] = {
        {R"({"promptTokenCount":"5101","totalTokenCount":1})", 5101},
        {R"({"promptTokenCount":-5})", 0},
        {R"({"promptTokenCount":1.5})", 0},
        {R"({"promptTokenCount":"5x"})", 0},
        {R"({"promptTokenCount":""})", 0},
        {R"({"promptTokenCount":null})", 0},
        {R"({"totalTokenCount":5,"promptTokensDetails":{},"cacheTokensDetails":[7]})", 0},
        // A billion is more than any model takes: sums of what is kept stay numbers.
        {R"({"promptTokenCount":9223372036854775807})", 1'000'000'000},
        {R"({"promptTokenCount":18446744073709551615})", 1'000'000'000},
        {R"({"promptTokenCount":"999999999999999"})", 1'000'000'000},
    };
    for (const auto& one : cases) {
        const auto said = read(R"({"usageMetadata":)" + std::string{one.usage} + "}");
        ASSERT_TRUE(said.used) << one.usage;
        EXPECT_EQ(said.used->prompt, one.prompt) << one.usage;
    }
    // More cached than sent would be a negative price.
    const auto said =
        read(R"({"usageMetadata":{"promptTokenCount":5,"cachedContentTokenCount":50}})");
    EXPECT_EQ(said.used->cached_prompt, 5);
    for (const char* body :
         {"{}", R"({"usageMetadata":{}})", R"({"usageMetadata":null})", R"({"usageMetadata":[1]})"})
        EXPECT_EQ(read(body).used, std::nullopt) << body;
}

TEST(GeminiReply, AnErrorUnderStatus200IsAFailure) {
    const auto said = gemini_reply(
        R"({"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}})",
        now);
    ASSERT_FALSE(said);
    EXPECT_EQ(name_of(said.error().kind), "overloaded");
    EXPECT_FALSE(said.error().may_be_billed);
}

TEST(GeminiReply, WhatIsNoJsonMayBeBilled) {
    for (const char* body : {"", "<html>", "[]", "null", R"({"candidates":[{"content")"}) {
        const auto said = gemini_reply(body, now);
        ASSERT_FALSE(said) << body;
        EXPECT_EQ(name_of(said.error().kind), "transient");
        EXPECT_TRUE(said.error().may_be_billed) << body;
    }
}

TEST(GeminiReply, ShapesThatNobodyPromisedAreRead) {
    for (const char* body :
         {R"({"candidates":{}})",
          R"({"candidates":[null]})",
          R"({"candidates":[{"content":5}]})",
          R"({"candidates":[{"content":{"parts":{}},"finishReason":7}]})",
          R"({"candidates":[{"content":{"parts":[null,5,{"text":[]}]},"finishReason":"STOP"}]})",
          R"({"promptFeedback":[],"responseId":{},"modelStatus":5,"error":"x"})"})
        EXPECT_EQ(read(body).end, reply_end::unspecified) << body;
}

TEST(GeminiReply, AModelThatGoesAwaySaysSo) {
    for (const char* stage : {"LEGACY", "DEPRECATED", "RETIRED"}) {
        const auto said = read(
            R"({"modelStatus":{"modelStage":")" + std::string{stage} +
            R"(","retirementTime":"2027-03-01T00:00:00Z"}})");
        EXPECT_THAT(said.detail, HasSubstr(stage));
        EXPECT_THAT(said.detail, HasSubstr("2027-03-01"));
    }
    EXPECT_EQ(read(R"({"modelStatus":{"modelStage":"STABLE"}})").detail, "no candidates");
}

}  // namespace
}  // namespace reelsd::model
