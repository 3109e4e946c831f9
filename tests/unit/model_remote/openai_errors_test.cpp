// Goal: every format of a server's refusal has the right kind of failure.
#include "builders.hpp"
#include "openai_api.hpp"
#include <reelsd/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using testing::response_of;

call_failure read_openai_error(int status, std::string_view body) {
    return openai_failure(response_of(status, body), testing::arrival);
}

TEST(OpenaiErrors, EachStatusAndFormat) {
    struct test_case {
        int status;
        const char* body;
        failure_kind kind;
        const char* detail;  ///< Must be in the detail.
    };
    constexpr test_case cases[] = {
        // The usual format.
        {400,
         R"({"error":{"message":"Invalid schema for response_format",
             "type":"invalid_request_error","code":null}})",
         failure_kind::schema_refused,
         "Invalid schema"},
        {400,
         R"({"error":{"message":"The image is broken",
             "type":"invalid_request_error","param":null,"code":400}})",
         failure_kind::video_rejected,
         "broken"},
        // Re-encoding the video does not help: the context or the token limit must change.
        {400,
         R"({"error":{"message":"This model's maximum context length is 8192 tokens."}})",
         failure_kind::context_exceeded,
         "context length"},
        {400,
         R"({"error":{"code":400,"type":"exceed_context_size_error",
             "message":"the request exceeds the available context size"}})",
         failure_kind::context_exceeded,
         ""},
        {400,
         R"({"error":{"message":"Too many tokens","code":"context_length_exceeded"}})",
         failure_kind::context_exceeded,
         ""},
        {400,
         R"({"error":{"message":"Unsupported parameter: 'max_tokens'"}})",
         failure_kind::misconfigured,
         "max_tokens"},
        {400,
         R"({"error":{"message":"Unsupported parameter: use 'max_completion_tokens' instead."}})",
         failure_kind::limit_refused,
         ""},
        {400,
         R"({"error":{"message":"max_tokens is too large: 32768. This model supports at most 16384
             completion tokens, whereas you provided 32768."}})",
         failure_kind::limit_too_large,
         ""},
        {400,
         R"({"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 32768. This
             model's maximum context length is 32768 tokens and your request has 20111 input
             tokens."}})",
         failure_kind::context_exceeded,
         ""},
        {400,
         R"({"error":{"message":"`max_tokens` must be less than or equal to `8192`, the maximum
             value for `max_tokens` is less than the `context_window` for this model"}})",
         failure_kind::limit_too_large,
         ""},
        {400,
         R"({"error":{"message":"Invalid max_tokens value, the valid range is [1, 8192]"}})",
         failure_kind::limit_too_large,
         ""},
        {400,
         R"({"error":{"message":"failed to parse grammar"}})",
         failure_kind::schema_refused,
         "grammar"},
        // Parts that the server does not know: the operator must set another mode.
        {400,
         R"({"error":{"message":"unsupported content[].type"}})",
         failure_kind::misconfigured,
         ""},
        {400, R"({"error":{"message":"invalid message format"}})", failure_kind::misconfigured, ""},
        {400,
         R"({"error":{"message":"At most 0 video(s) may be provided in expected prompt."}})",
         failure_kind::misconfigured,
         ""},
        {400,
         R"({"error":{"message":"At most 0 image(s) may be provided in one request."}})",
         failure_kind::misconfigured,
         ""},
        // Other videos have fewer frames.
        {400,
         R"({"error":{"message":"At most 32 image(s) may be provided in one prompt."}})",
         failure_kind::request_too_large,
         ""},
        {400,
         R"({"error":{"message":"m is not a multimodal model"}})",
         failure_kind::misconfigured,
         ""},
        // Older servers send a flat object, others only a text.
        {400,
         R"({"object":"error","message":"guided decoding failed",
             "type":"BadRequestError","code":400})",
         failure_kind::schema_refused,
         "guided"},
        {404, R"({"error":"model \"x\" not found"})", failure_kind::misconfigured, "not found"},
        {422,
         R"({"detail":[{"loc":["body"],"msg":"field required"}]})",
         failure_kind::misconfigured,
         "field required"},
        {422, R"({"detail":"no"})", failure_kind::misconfigured, "no"},
        {422,
         R"({"detail":[{"loc":["body","response_format","type"],"msg":"not permitted"}]})",
         failure_kind::schema_refused,
         "not permitted"},
        {500,
         R"({"error":{"message":"Provider returned error",
             "code":"502","metadata":{"raw":"upstream says no"}}})",
         failure_kind::server_fault,
         "upstream says no"},
        {401,
         R"({"error":{"message":"Incorrect API key","code":"invalid_api_key"}})",
         failure_kind::unauthorized,
         "invalid_api_key"},
        {402,
         R"({"error":{"message":"Insufficient credits","code":402}})",
         failure_kind::misconfigured,
         ""},
        {403, "", failure_kind::misconfigured, "HTTP 403"},
        {404, "<html>404</html>", failure_kind::misconfigured, "<html>"},
        {408, "", failure_kind::transient, ""},
        {409, "", failure_kind::transient, ""},
        {403,
         R"({"error":{"code":403,"message":"m requires moderation on P. Your input was flagged"}})",
         failure_kind::input_flagged,
         "flagged"},
        {400,
         R"({"error":{"message":"The response was filtered","code":"content_filter"}})",
         failure_kind::input_flagged,
         ""},
        {413, "<html>", failure_kind::request_too_large, ""},
        {429,
         R"({"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}})",
         failure_kind::rate_limited,
         ""},
        {429,
         R"({"error":{"message":"You exceeded your quota",
             "type":"insufficient_quota","code":"insufficient_quota"}})",
         failure_kind::misconfigured,
         ""},
        {429,
         R"({"error":{"message":"Your account is not active",
             "type":"billing_not_active","code":"billing_not_active"}})",
         failure_kind::misconfigured,
         ""},
        {400,
         R"({"error":{"message":"Billing hard limit has been reached",
             "code":"billing_hard_limit_reached"}})",
         failure_kind::misconfigured,
         ""},
        {500, "", failure_kind::server_fault, ""},
        {502, "<html>Bad Gateway</html>", failure_kind::transient, "Bad Gateway"},
        {503, "", failure_kind::overloaded, ""},
        {504, "", failure_kind::slow, ""},
        {529, "", failure_kind::transient, ""},
        {307, "", failure_kind::misconfigured, ""},
        // Undocumented formats.
        {500, "null", failure_kind::server_fault, ""},
        {500, R"({"error":null})", failure_kind::server_fault, ""},
        {500, R"({"error":{"code":{},"message":[],"metadata":7}})", failure_kind::server_fault, ""},
        {500, R"({"error":[]})", failure_kind::server_fault, ""},
        {500, "\xFF", failure_kind::server_fault, ""},
    };
    for (const auto& expected : cases) {
        const auto why = read_openai_error(expected.status, expected.body);
        EXPECT_EQ(name_of(why.kind), name_of(expected.kind))
            << expected.status << " " << expected.body;
        EXPECT_THAT(why.detail, HasSubstr(expected.detail)) << expected.body;
    }
}

// Otherwise one long video would stop the requests for all others.
TEST(OpenaiErrors, EachServersTextAboutTheContext) {
    for (const auto* const text :
         {"The decoder prompt (length 41110) is longer than the maximum model length of 32768.",
          "You passed 32769 input tokens, but the model's context length is only 32768 tokens.",
          "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
          "The model is loaded with context length of only 4096 tokens, which is not enough",
          "litellm.BadRequestError: litellm.ContextWindowExceededError: 210000 tokens > 200000",
          "prompt is too long: 210000 tokens > 200000 maximum",
          "The prompt is too long to fit into the model (Context Length 4096)",
          "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000",
          "Input exceeds the context window of this model",
          "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 16384",
          "`inputs` must have less than 4095 tokens. Given: 5000"}) {
        const auto body = json{{"error", text}}.dump();
        for (const int status : {400, 422}) {
            EXPECT_EQ(read_openai_error(status, body).kind, failure_kind::context_exceeded)
                << status << ' ' << text;
        }
    }
}

TEST(OpenaiErrors, OnlyGatewayFailuresMayBeBilled) {
    for (const int status : {400, 401, 404, 413, 429, 500, 503, 522, 599}) {
        EXPECT_FALSE(read_openai_error(status, "").may_be_billed) << status;
    }
    for (const int status : {408, 502, 504, 520, 524}) {
        EXPECT_TRUE(read_openai_error(status, "").may_be_billed) << status;
    }
    EXPECT_EQ(read_openai_error(524, "").kind, failure_kind::slow);
}

TEST(OpenaiErrors, DelaysAndWhetherToRetry) {
    net::header_list headers;
    headers.add("retry-after-ms", "1500");
    headers.add("x-should-retry", "true");
    const auto why = openai_failure(response_of(409, "", headers), testing::arrival);
    EXPECT_EQ(why.server_delay, seconds_f{1.5});
    EXPECT_EQ(why.should_retry, true);

    net::header_list not_again;
    not_again.add("X-Should-Retry", "false");
    EXPECT_EQ(
        openai_failure(response_of(503, "", not_again), testing::arrival).should_retry, false);
    net::header_list unclear;
    unclear.add("X-Should-Retry", "perhaps");
    EXPECT_EQ(
        openai_failure(response_of(503, "", unclear), testing::arrival).should_retry, std::nullopt);
}

TEST(OpenaiErrors, NoDelayAppliesToExhaustedCredit) {
    net::header_list headers;
    headers.add("retry-after", "2");
    headers.add("x-should-retry", "true");
    const auto why = openai_failure(
        response_of(429, R"({"error":{"code":"insufficient_quota"}})", headers), testing::arrival);
    EXPECT_EQ(why.server_delay, std::nullopt);
    EXPECT_EQ(why.should_retry, std::nullopt);
}

TEST(OpenaiErrors, WithStatus200) {
    struct test_case {
        const char* body;
        std::optional<failure_kind> kind;
    };
    constexpr test_case cases[] = {
        {R"({"error":{"message":"Rate limited","code":429}})", failure_kind::rate_limited},
        {R"({"error":{"message":"Overloaded","code":"503"}})", failure_kind::overloaded},
        {R"({"error":{"message":"broken","code":"server_error"}})", failure_kind::server_fault},
        {R"({"error":{"message":"broken","code":7}})", failure_kind::server_fault},
        {R"({"error":"broken"})", failure_kind::server_fault},
        {R"({"object":"error","message":"broken","code":400})", failure_kind::video_rejected},
        {R"({"error":null,"choices":[]})", std::nullopt},
        {R"({"choices":[]})", std::nullopt},
        {R"({"error":false})", std::nullopt},
    };
    for (const auto& expected : cases) {
        const auto why = openai_failure_within(json::parse(expected.body), {}, testing::arrival);
        ASSERT_EQ(why.has_value(), expected.kind.has_value()) << expected.body;
        if (why) {
            EXPECT_EQ(name_of(why->kind), name_of(*expected.kind)) << expected.body;
        }
    }
}

}  // namespace
}  // namespace reelsd::model
