// Goal: the answers of all servers with chat completions are understood: their end, their text, and
// their cost if it is reported.
#include "builders.hpp"
#include "openai_api.hpp"
#include <reelsd/base/text.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;

model_reply answer(std::string body) {
    net::http_response response;
    response.head.status = 200;
    response.body = std::move(body);
    return openai_reply(response, testing::arrival);
}

reply read_openai_reply(std::string body) {
    const auto parsed = answer(std::move(body));
    EXPECT_TRUE(parsed) << parsed.error().detail;
    return parsed ? *parsed : reply{};
}

TEST(OpenaiReply, EachEnd) {
    struct test_case {
        const char* choice;
        reply_end end;
    };
    constexpr test_case cases[] = {
        {R"({"message":{"content":"{}"},"finish_reason":"stop"})", reply_end::complete},
        // Some servers omit the reason, or have other ones.
        {R"({"message":{"content":"{}"}})", reply_end::complete},
        {R"({"message":{"content":"{}"},"finish_reason":null})", reply_end::complete},
        {R"({"message":{"content":"{}"},"finish_reason":"eos"})", reply_end::complete},
        {R"({"message":{"content":"{}"},"finish_reason":"length"})", reply_end::truncated},
        {R"({"message":{"content":null},"finish_reason":"length"})", reply_end::truncated},
        {R"({"message":{"content":"{}"},"finish_reason":"content_filter"})", reply_end::refused},
        {R"({"message":{"content":null,"refusal":"I cannot"},"finish_reason":"stop"})",
         reply_end::refused},
        {R"({"message":{"content":null},"finish_reason":"tool_calls"})", reply_end::unspecified},
        {R"({"message":{"content":"x"},"finish_reason":"function_call"})", reply_end::unspecified},
        {R"({"message":{"content":null},"finish_reason":"stop"})", reply_end::unspecified},
        {R"({"message":{"content":" \n"},"finish_reason":"stop"})", reply_end::unspecified},
        {R"({"message":null,"finish_reason":"stop"})", reply_end::unspecified},
        {R"({"message":{"content":5},"finish_reason":{}})", reply_end::unspecified},
        {"null", reply_end::unspecified},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(
            read_openai_reply(R"({"choices":[)" + std::string{expected.choice} + "]}").end,
            expected.end)
            << expected.choice;
    EXPECT_EQ(read_openai_reply(R"({"choices":[]})").end, reply_end::unspecified);
    EXPECT_EQ(read_openai_reply("{}").detail, "no choices");
    EXPECT_THAT(
        read_openai_reply(
            R"({"choices":[{"message":{"refusal":"I cannot"},"finish_reason":"stop"}]})")
            .detail,
        HasSubstr("I cannot"));
}

// OpenRouter reports a fault of its provider like this.
TEST(OpenaiReply, AFaultInAChoiceBreaksTheAnswerOff) {
    for (const char* choice :
         {R"({"message":{"content":"{"},"finish_reason":"error",
              "error":{"code":502,"message":"upstream disconnected"}})",
          R"({"message":{"content":"{}"},"finish_reason":"stop",
              "error":{"code":"502","message":"upstream disconnected"}})",
          R"({"message":null,"finish_reason":"error"})"}) {
        const auto parsed = read_openai_reply(
            fmt::format(R"({{"choices":[{}],"usage":{{"prompt_tokens":7}}}})", choice));
        EXPECT_EQ(parsed.end, reply_end::broken_off) << choice;
        ASSERT_TRUE(parsed.used) << choice;
        if (contains(choice, "502")) {
            EXPECT_THAT(parsed.detail, HasSubstr("502 upstream disconnected")) << choice;
        }
    }
}

TEST(OpenaiReply, TextInPartsIsJoined) {
    EXPECT_EQ(
        read_openai_reply(R"({"choices":[{"message":{"content":[{"type":"text","text":"{\"a\""},
                {"type":"text","text":":1}"},null]}}]})")
            .text,
        R"({"a":1})");
    // Separate reasoning is not part of the content.
    EXPECT_EQ(
        read_openai_reply(
            R"({"choices":[{"message":{"content":"{}",
                "reasoning_content":"hm","reasoning":"hm"}}]})")
            .text,
        "{}");
}

TEST(OpenaiReply, Counts) {
    const auto parsed = read_openai_reply(
        R"({"id":"chat-1","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":300,
            "total_tokens":1300,"prompt_tokens_details":{"cached_tokens":200,"audio_tokens":50},
            "completion_tokens_details":{"reasoning_tokens":120}}})");
    EXPECT_EQ(parsed.response_id, "chat-1");
    ASSERT_TRUE(parsed.used);
    EXPECT_EQ(parsed.used->prompt, 1000);
    EXPECT_EQ(parsed.used->cached_prompt, 200);
    EXPECT_EQ(parsed.used->output, 300) << "including reasoning";
    EXPECT_EQ(parsed.used->thinking, 120);
    ASSERT_EQ(parsed.used->by_modality.size(), 1U);
    EXPECT_EQ(parsed.used->by_modality[0].kind, modality::audio);
    EXPECT_EQ(parsed.used->by_modality[0].prompt, 50);
}

TEST(OpenaiReply, CountsThatContradictEachOther) {
    const auto parsed = read_openai_reply(
        R"({"usage":{"prompt_tokens":10,"completion_tokens":-3,
            "prompt_tokens_details":{"cached_tokens":99,"audio_tokens":99},
            "completion_tokens_details":{"reasoning_tokens":9}}})");
    ASSERT_TRUE(parsed.used);
    EXPECT_EQ(parsed.used->cached_prompt, 10);
    EXPECT_EQ(parsed.used->output, 0);
    EXPECT_EQ(parsed.used->thinking, 0);
    EXPECT_EQ(parsed.used->by_modality.at(0).prompt, 10);
    // A billion is more than any model accepts, and sums of such counts do not overflow.
    EXPECT_EQ(
        read_openai_reply(R"({"usage":{"prompt_tokens":18446744073709551615}})").used->prompt,
        1'000'000'000);
}

TEST(OpenaiReply, MissingCounts) {
    for (const char* body :
         {"{}",
          R"({"usage":null})",
          R"({"usage":{}})",
          R"({"usage":{"prompt_tokens":null}})",
          R"({"usage":{"prompt_tokens":0,"completion_tokens":0}})",
          R"({"usage":{"prompt_tokens":1.5}})",
          R"({"usage":[]})"})
        EXPECT_EQ(read_openai_reply(body).used, std::nullopt) << body;
    const auto parsed = read_openai_reply(
        R"({"usage":{"prompt_tokens":5,
             "prompt_tokens_details":null,"completion_tokens_details":7}})");
    ASSERT_TRUE(parsed.used);
    EXPECT_EQ(parsed.used->prompt, 5);
    const auto whole =
        read_openai_reply(R"({"usage":{"prompt_tokens":1000.0,"completion_tokens":20.0}})");
    ASSERT_TRUE(whole.used);
    EXPECT_EQ(whole.used->prompt, 1000);
    EXPECT_EQ(whole.used->output, 20);
}

TEST(OpenaiReply, TheRequestIdPrecedesTheAnswersId) {
    net::http_response response;
    response.head.headers.add("X-Request-Id", "req-7");
    response.body = R"({"id":"chat-1"})";
    EXPECT_EQ(openai_reply(response, testing::arrival)->response_id, "req-7");
}

TEST(OpenaiReply, AnErrorWithStatus200IsAFailureWithoutCost) {
    const auto parsed = answer(R"({"error":{"message":"Rate limited","code":429}})");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(name_of(parsed.error().kind), "rate_limited");
    EXPECT_FALSE(parsed.error().may_be_billed);
}

TEST(OpenaiReply, ChoicesAreBilledEvenWithAnError) {
    for (const char* error : {"{}", R"("")", R"({"message":""})", R"({"code":500})"}) {
        const auto reply = read_openai_reply(fmt::format(
            R"({{"error":{},"usage":{{"prompt_tokens":7,"completion_tokens":2}},
                 "choices":[{{"message":{{"content":"{{}}"}},"finish_reason":"stop"}}]}})",
            error));
        EXPECT_EQ(reply.end, reply_end::complete) << error;
        EXPECT_EQ(reply.text, "{}") << error;
        EXPECT_EQ(reply.used.value_or(token_counts{}).prompt, 7) << error;
    }
    EXPECT_FALSE(answer(R"({"choices":[],"error":{}})"));
}

TEST(OpenaiReply, AChoiceWithoutContentDoesNotHideAnError) {
    constexpr const char* form = R"({{"choices":[{}],"error":{{"code":429,"message":"later"}}}})";
    for (const char* choice :
         {"null",
          R"({"message":{"content":""},"finish_reason":null})",
          R"({"message":{"content":" "},"finish_reason":"stop"})"}) {
        const auto parsed = answer(fmt::format(form, choice));
        ASSERT_FALSE(parsed) << choice;
        EXPECT_EQ(name_of(parsed.error().kind), "rate_limited") << choice;
    }
    for (const char* choice :
         {R"({"message":{"content":"{}"}})", R"({"message":{"refusal":"I cannot"}})"}) {
        const auto reply = read_openai_reply(fmt::format(form, choice));
        EXPECT_THAT(reply.detail, HasSubstr("later")) << choice;
    }
}

TEST(OpenaiReply, AGatewayFailureWithStatus200MayBeBilled) {
    for (const char* code : {"504", R"("502")", R"("408")"}) {
        const auto parsed =
            answer(fmt::format(R"({{"error":{{"message":"timeout","code":{}}}}})", code));
        ASSERT_FALSE(parsed) << code;
        EXPECT_TRUE(parsed.error().may_be_billed) << code;
    }
}

TEST(OpenaiReply, InvalidJsonMayBeBilled) {
    for (const char* body : {"", "<html>", "[]", R"({"choices":[{)"}) {
        const auto parsed = answer(body);
        ASSERT_FALSE(parsed) << body;
        EXPECT_EQ(name_of(parsed.error().kind), "transient");
        EXPECT_TRUE(parsed.error().may_be_billed) << body;
    }
}

}  // namespace
}  // namespace reelsd::model
