// Goal: the end of an answer is known before its text is read, and its cost for every
// end.
#include "builders.hpp"
#include "gemini_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

reply read_gemini_reply(std::string_view body) {
    const auto parsed = gemini_reply(body, testing::arrival);
    EXPECT_TRUE(parsed) << parsed.error().detail;
    return parsed ? *parsed : reply{};
}

std::string ended(std::string_view reason, std::string_view parts) {
    return R"({"candidates":[{"content":{"role":"model","parts":[)" + std::string{parts} +
           R"(]},"finishReason":")" + std::string{reason} + R"("}]})";
}

// Goal: extreme nesting does not overflow a thread's stack.
TEST(GeminiReply, ADeepDocumentIsRefused) {
    constexpr std::size_t depth = 100'000;
    const auto body = R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') +
                      R"(,"b":1,"candidates":[]})";
    const auto parsed = gemini_reply(body, testing::arrival);
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().detail, HasSubstr("not a JSON object"));
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
        // Future reasons.
        {"SOLAR_FLARE", unspecified, unspecified},
        {"", unspecified, unspecified},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(
            read_gemini_reply(ended(expected.reason, R"({"text":"{}"})")).end, expected.with_text)
            << expected.reason;
        EXPECT_EQ(read_gemini_reply(ended(expected.reason, "")).end, expected.without_text)
            << expected.reason;
        EXPECT_EQ(
            read_gemini_reply(ended(expected.reason, R"({"text":" \n"})")).end,
            expected.without_text)
            << expected.reason;
    }
}

TEST(GeminiReply, TextIsJoinedAndThoughtsAreNot) {
    EXPECT_EQ(
        read_gemini_reply(ended(
                              "STOP",
                              R"({"thought":true,"text":"Let me see"},{"text":"{\"a\""},
                    {"thoughtSignature":"x"},{"text":":1}","thought":false},{"inlineData":{}})"))
            .text,
        R"({"a":1})");
    // Thoughts alone are not an answer.
    EXPECT_EQ(
        read_gemini_reply(ended("STOP", R"({"thought":true,"text":"hm"})")).end,
        reply_end::unspecified);
}

TEST(GeminiReply, ThinkingUsedUpTheLimit) {
    const auto parsed = read_gemini_reply(
        R"({"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS","index":0}],
            "usageMetadata":{"promptTokenCount":100,
             "thoughtsTokenCount":16384,"totalTokenCount":16484}})");
    EXPECT_EQ(parsed.end, reply_end::truncated);
    EXPECT_THAT(parsed.text, IsEmpty());
    ASSERT_TRUE(parsed.used);
    EXPECT_EQ(parsed.used->prompt, 100);
    EXPECT_EQ(parsed.used->output, 16'384) << "thinking is billed";
    EXPECT_EQ(parsed.used->thinking, 16'384);
}

TEST(GeminiReply, RecitationHasNoParts) {
    const auto parsed = read_gemini_reply(
        R"({"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"RECITATION",
            "citationMetadata":{"citationSources":[{"uri":"https://example.com"}]}}]})");
    EXPECT_EQ(parsed.end, reply_end::recited);
    EXPECT_EQ(parsed.used, std::nullopt);
}

TEST(GeminiReply, RefusedPrompts) {
    for (const char* reason :
         {"SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "SOMETHING_NEW"}) {
        const auto parsed = read_gemini_reply(
            R"({"promptFeedback":{"blockReason":")" + std::string{reason} +
            R"("},"usageMetadata":{"promptTokenCount":7}})");
        EXPECT_EQ(parsed.end, reply_end::refused) << reason;
        EXPECT_THAT(parsed.detail, HasSubstr(reason));
        ASSERT_TRUE(parsed.used);
        EXPECT_EQ(parsed.used->prompt, 7);
    }
    // Names of "no reason".
    for (const char* body :
         {R"({"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"}})",
          R"({"promptFeedback":{"blockReason":"BLOCKED_REASON_UNSPECIFIED"}})",
          R"({"promptFeedback":{}})",
          R"({"candidates":[]})",
          "{}"})
        EXPECT_EQ(read_gemini_reply(body).end, reply_end::unspecified) << body;
}

TEST(GeminiReply, CountsOfEveryKind) {
    const auto parsed = read_gemini_reply(
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
    EXPECT_EQ(parsed.end, reply_end::complete);
    EXPECT_EQ(parsed.response_id, "k3Zx");
    ASSERT_TRUE(parsed.used);
    EXPECT_EQ(parsed.used->prompt, 29'000) << "including the tools' tokens";
    EXPECT_EQ(parsed.used->cached_prompt, 500);
    EXPECT_EQ(parsed.used->output, 1850);
    EXPECT_EQ(parsed.used->thinking, 640);
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
    ASSERT_EQ(parsed.used->by_modality.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
        EXPECT_EQ(parsed.used->by_modality[i].kind, expected[i].kind);
        EXPECT_EQ(parsed.used->by_modality[i].prompt, expected[i].prompt);
        EXPECT_EQ(parsed.used->by_modality[i].cached_prompt, expected[i].cached);
        EXPECT_EQ(parsed.used->by_modality[i].output, expected[i].output);
    }
}

TEST(GeminiReply, CountsAreWholeAndBounded) {
    struct test_case {
        const char* usage;
        std::int64_t prompt;
    };
    constexpr test_case cases[] = {
        {R"({"promptTokenCount":"5101","totalTokenCount":1})", 5101},
        {R"({"promptTokenCount":1000.0})", 1000},
        {R"({"promptTokenCount":5,"promptTokensDetails":{},"cacheTokensDetails":[7]})", 5},
        // A billion is more than any model accepts, and sums of such counts do not overflow.
        {R"({"promptTokenCount":9223372036854775807})", 1'000'000'000},
        {R"({"promptTokenCount":18446744073709551615})", 1'000'000'000},
        {R"({"promptTokenCount":"999999999999999"})", 1'000'000'000},
        {R"({"promptTokenCount":1e300})", 1'000'000'000},
    };
    for (const auto& expected : cases) {
        const auto parsed =
            read_gemini_reply(R"({"usageMetadata":)" + std::string{expected.usage} + "}");
        ASSERT_TRUE(parsed.used) << expected.usage;
        EXPECT_EQ(parsed.used->prompt, expected.prompt) << expected.usage;
    }
    // More cached than sent tokens would have a negative price.
    const auto parsed = read_gemini_reply(
        R"({"usageMetadata":{"promptTokenCount":5,"cachedContentTokenCount":50}})");
    EXPECT_EQ(parsed.used->cached_prompt, 5);
    // A prompt of no tokens would cost nothing.
    for (const char* usage :
         {"{}",
          "null",
          "[1]",
          R"({"promptTokenCount":0})",
          R"({"promptTokenCount":-5})",
          R"({"promptTokenCount":1.5})",
          R"({"promptTokenCount":"5x"})",
          R"({"promptTokenCount":""})",
          R"({"promptTokenCount":null})",
          R"({"totalTokenCount":5,"promptTokensDetails":{}})"})
        EXPECT_EQ(
            read_gemini_reply(R"({"usageMetadata":)" + std::string{usage} + "}").used, std::nullopt)
            << usage;
    EXPECT_EQ(read_gemini_reply("{}").used, std::nullopt);
}

TEST(GeminiReply, AnErrorWithStatus200IsAFailure) {
    const auto parsed = gemini_reply(
        R"({"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}})",
        testing::arrival);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(name_of(parsed.error().kind), "overloaded");
    EXPECT_FALSE(parsed.error().may_be_billed);
}

TEST(GeminiReply, AGatewayFailureWithStatus200MayBeBilled) {
    const auto parsed = gemini_reply(
        R"({"error":{"code":504,"message":"Deadline expired.","status":"DEADLINE_EXCEEDED"}})",
        testing::arrival);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(name_of(parsed.error().kind), "slow");
    EXPECT_TRUE(parsed.error().may_be_billed);
}

TEST(GeminiReply, InvalidJsonMayBeBilled) {
    for (const char* body : {"", "<html>", "[]", "null", R"({"candidates":[{"content")"}) {
        const auto parsed = gemini_reply(body, testing::arrival);
        ASSERT_FALSE(parsed) << body;
        EXPECT_EQ(name_of(parsed.error().kind), "transient");
        EXPECT_TRUE(parsed.error().may_be_billed) << body;
    }
}

TEST(GeminiReply, UndocumentedFormatsAreRead) {
    for (const char* body :
         {R"({"candidates":{}})",
          R"({"candidates":[null]})",
          R"({"candidates":[{"content":5}]})",
          R"({"candidates":[{"content":{"parts":{}},"finishReason":7}]})",
          R"({"candidates":[{"content":{"parts":[null,5,{"text":[]}]},"finishReason":"STOP"}]})",
          R"({"promptFeedback":[],"responseId":{},"modelStatus":5,"error":"x"})"})
        EXPECT_EQ(read_gemini_reply(body).end, reply_end::unspecified) << body;
}

TEST(GeminiReply, ARetiringModelIsReported) {
    for (const char* stage : {"LEGACY", "DEPRECATED", "RETIRED"}) {
        const auto parsed = read_gemini_reply(
            R"({"modelStatus":{"modelStage":")" + std::string{stage} +
            R"(","retirementTime":"2027-03-01T00:00:00Z"}})");
        EXPECT_THAT(parsed.detail, HasSubstr(stage));
        EXPECT_THAT(parsed.detail, HasSubstr("2027-03-01"));
    }
    EXPECT_EQ(
        read_gemini_reply(R"({"modelStatus":{"modelStage":"STABLE"}})").detail, "no candidates");
}

}  // namespace
}  // namespace reelsd::model
