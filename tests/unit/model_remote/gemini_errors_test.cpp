// Goal: each refusal of Gemini has the right kind, which decides whether a job waits, fails or
// changes its request.
#include "builders.hpp"
#include "gemini_api.hpp"
#include <reelsd/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::response_of;

/// Ten hours before daily quotas are reset.
const std::chrono::system_clock::time_point now =
    std::chrono::sys_days{2026y / std::chrono::November / 20} + 22h;
constexpr double until_next_day = 10.0 * 3600;

/// Wraps the members of an error.
std::string body(std::string_view inner) {
    return R"({"error":{)" + std::string{inner} + "}}";
}

call_failure read_gemini_error(
    int status, std::string_view text, gemini_target target = gemini_target::generate) {
    return gemini_failure(response_of(status, text), target, now);
}

struct error_case {
    const char* name;
    int status;
    std::string body;
    gemini_target target;
    failure_kind kind;
};

constexpr auto generate = gemini_target::generate;
constexpr auto file = gemini_target::file;

const error_case bad_requests[] = {
    {"a wrong key",
     400,
     body(R"("code":400,"message":"API key not valid. Please pass a valid API key.",
          "status":"INVALID_ARGUMENT","details":[
          {"@type":"type.googleapis.com/google.rpc.ErrorInfo",
          "reason":"API_KEY_INVALID","domain":"googleapis.com"}])"),
     generate,
     failure_kind::misconfigured},
    {"a wrong key, only in the details",
     400,
     body(R"("code":400,"message":"Bad","status":"INVALID_ARGUMENT","details":[
          {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}])"),
     generate,
     failure_kind::misconfigured},
    {"too large for an inline video",
     400,
     body(R"("code":400,"message":"Request payload size exceeds the limit: 20971520 bytes.",
          "status":"INVALID_ARGUMENT")"),
     generate,
     failure_kind::payload_too_large},
    {"a schema with too many states",
     400,
     body(
         R"("code":400,"message":
          "The specified schema produces a constraint that has too many states for serving.",
          "status":"INVALID_ARGUMENT")"),
     generate,
     failure_kind::schema_refused},
    {"too many states, only in the details",
     400,
     body(
         R"("code":400,"message":"Request contains an invalid argument.",
          "status":"INVALID_ARGUMENT",
          "details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[
          {"field":"x","description":"The schema has too many states for serving."}]}])"),
     generate,
     failure_kind::schema_refused},
    {"an unknown keyword of the schema",
     400,
     body(R"("code":400,"status":"INVALID_ARGUMENT","message":
          "Unknown name \"$schema\" at 'generation_config.response_schema': Cannot find field.")"),
     generate,
     failure_kind::schema_refused},
    {"an unknown member",
     400,
     body(R"("code":400,"status":"INVALID_ARGUMENT","message":
          "Invalid JSON payload received. Unknown name \"store\": Cannot find field.")"),
     generate,
     failure_kind::store_refused},
    {"an unsupported thinking level",
     400,
     body(R"("code":400,"status":"INVALID_ARGUMENT","message":
          "Thinking level MINIMAL is not supported for this model.")"),
     generate,
     failure_kind::thinking_refused},
    {"an unsupported thinking budget",
     400,
     body(R"("code":400,"status":"INVALID_ARGUMENT","message":
          "Budget 0 is invalid. This model only works in thinking mode.")"),
     generate,
     failure_kind::thinking_refused},
    {"any other fault is the video's",
     400,
     body(
         R"("code":400,"message":"Request contains an invalid argument.",
          "status":"INVALID_ARGUMENT")"),
     generate,
     failure_kind::video_rejected},
    {"a file that is not ready",
     400,
     body(R"("code":400,"status":"FAILED_PRECONDITION","message":
          "The File abc is not in an ACTIVE state and usage is not allowed.")"),
     generate,
     failure_kind::file_not_ready},
    {"a country without a free tier",
     400,
     body(R"("code":400,"status":"FAILED_PRECONDITION","message":
          "User location is not supported for the API use without a billing account linked.")"),
     generate,
     failure_kind::misconfigured},
};

const error_case other_statuses[] = {
    {"credentials",
     401,
     body(R"("code":401,"status":"UNAUTHENTICATED","message":"Bad credentials")"),
     generate,
     failure_kind::unauthorized},
    {"a leaked key",
     403,
     body(
         R"("code":403,"status":"PERMISSION_DENIED",
          "message":"Your API key was reported as leaked.")"),
     generate,
     failure_kind::misconfigured},
    {"a disabled service",
     403,
     body(
         R"("code":403,"status":"PERMISSION_DENIED",
          "message":"It has not been used before.","details":[
          {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED"}])"),
     generate,
     failure_kind::misconfigured},
    {"another project's file",
     403,
     body(R"("code":403,"status":"PERMISSION_DENIED","message":
          "You do not have permission to access the File abc or it may not exist.")"),
     generate,
     failure_kind::file_gone},
    {"a request for a file",
     403,
     body(R"("code":403,"message":"No permission.")"),
     file,
     failure_kind::file_gone},
    {"a leaked key, for a file",
     403,
     body(R"("code":403,"message":"Your API key was reported as leaked.")"),
     file,
     failure_kind::misconfigured},
    {"a missing model",
     404,
     body(R"("code":404,"status":"NOT_FOUND","message":
          "models/gemini-1 is not found for API version v1beta, or is not supported for it.")"),
     generate,
     failure_kind::misconfigured},
    {"a missing file, for a generate request",
     404,
     body(R"("code":404,"status":"NOT_FOUND","message":"File abc not found.")"),
     generate,
     failure_kind::file_gone},
    {"a missing file",
     404,
     body(R"("code":404,"status":"NOT_FOUND","message":"Not found.")"),
     file,
     failure_kind::file_gone},
    {"a wrong address", 404, "<html>404</html>", generate, failure_kind::misconfigured},
    {"a slow request", 408, "", generate, failure_kind::transient},
    {"the limit of a front end",
     413,
     "<html>Request Entity Too Large</html>",
     generate,
     failure_kind::payload_too_large},
    {"a closed request",
     499,
     body(R"("code":499,"status":"CANCELLED","message":"")"),
     generate,
     failure_kind::transient},
    {"a server fault",
     500,
     body(R"("code":500,"status":"INTERNAL","message":"An internal error has occurred.")"),
     generate,
     failure_kind::server_fault},
    {"a proxy's fault", 502, "<html>Bad Gateway</html>", generate, failure_kind::transient},
    {"overloaded",
     503,
     body(
         R"("code":503,"status":"UNAVAILABLE",
          "message":"The model is overloaded. Please try again later.",
          "details":[
          {"@type":"type.googleapis.com/google.rpc.ErrorInfo",
           "reason":"MODEL_CAPACITY_EXHAUSTED"}])"),
     generate,
     failure_kind::overloaded},
    {"too slow",
     504,
     body(R"("code":504,"status":"DEADLINE_EXCEEDED","message":"")"),
     generate,
     failure_kind::slow},
    {"an unknown status", 599, "", generate, failure_kind::transient},
    {"a redirect, which is not followed with a key",
     302,
     "",
     generate,
     failure_kind::misconfigured},
    {"an unknown client error", 418, "", generate, failure_kind::misconfigured},
};

void expect_kinds(std::span<const error_case> cases) {
    for (const auto& expected : cases) {
        EXPECT_EQ(
            name_of(read_gemini_error(expected.status, expected.body, expected.target).kind),
            name_of(expected.kind))
            << expected.name;
        // Some clients have got a list of one error.
        const auto in_list =
            read_gemini_error(expected.status, "[" + expected.body + "]", expected.target);
        if (expected.body.starts_with('{')) {
            EXPECT_EQ(name_of(in_list.kind), name_of(expected.kind)) << expected.name;
        }
    }
}

TEST(GeminiErrors, BadRequestsByTheirText) {
    expect_kinds(bad_requests);
}

TEST(GeminiErrors, OtherStatuses) {
    expect_kinds(other_statuses);
}

TEST(GeminiErrors, OnlyGatewayFailuresMayBeBilled) {
    for (const int status : {400, 401, 404, 413, 429, 500, 503, 522, 599}) {
        EXPECT_FALSE(read_gemini_error(status, "").may_be_billed) << status;
    }
    for (const int status : {408, 502, 504, 520, 524}) {
        EXPECT_TRUE(read_gemini_error(status, "").may_be_billed) << status;
    }
}

/// A refusal because of a quota, with details.
std::string quota(std::string_view message, std::string_view quota_id, std::string_view delay) {
    nlohmann::json error{{"code", 429}, {"status", "RESOURCE_EXHAUSTED"}, {"message", message}};
    auto& details = error["details"] = nlohmann::json::array();
    if (!quota_id.empty())
        details.push_back(
            {{"@type", "type.googleapis.com/google.rpc.QuotaFailure"},
             {"violations", {{{"quotaMetric", "m"}, {"quotaId", quota_id}, {"quotaValue", "2"}}}}});
    if (!delay.empty())
        details.push_back(
            {{"@type", "type.googleapis.com/google.rpc.RetryInfo"}, {"retryDelay", delay}});
    return nlohmann::json{{"error", error}}.dump();
}

TEST(GeminiErrors, Quotas) {
    struct quota_case {
        const char* name;
        std::string body;
        failure_kind kind;
        std::optional<double> delay;
    };
    const quota_case cases[] = {
        {"a minute quota with its delay",
         quota("Quota exceeded", "GenerateRequestsPerMinutePerProjectPerModel", "34.5s"),
         failure_kind::rate_limited,
         34.5},
        {"a minute quota without a delay",
         quota("Quota exceeded", "GenerateRequestsPerMinutePerProject", ""),
         failure_kind::rate_limited,
         60},
        {"a delay in the message",
         quota("Quota exceeded. Please retry in 31.25s.", "", ""),
         failure_kind::rate_limited,
         31.25},
        {"the detail precedes the message",
         quota("Please retry in 31.25s.", "", "2s"),
         failure_kind::rate_limited,
         2},
        {"no details",
         quota("Resource has been exhausted (e.g. check quota).", "", ""),
         failure_kind::rate_limited,
         std::nullopt},
        {"no JSON", "<html>Too Many Requests</html>", failure_kind::rate_limited, std::nullopt},
        // Such an error also names a short delay, which is wrong.
        {"a daily quota with a short delay",
         quota("Quota exceeded", "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "7s"),
         failure_kind::quota_exhausted,
         until_next_day},
        {"a daily quota of another name",
         quota("Quota exceeded", "DailyRequests", "7s"),
         failure_kind::quota_exhausted,
         until_next_day},
        {"a quota of 0",
         quota("Quota exceeded for metric: x, limit: 0, model: y", "RequestsPerMinute", "7s"),
         failure_kind::misconfigured,
         7},
        {"a daily quota of 0",
         quota("Quota exceeded for metric: x, limit: 0, model: y", "RequestsPerDay", ""),
         failure_kind::misconfigured,
         std::nullopt},
        {"a spending limit",
         quota("Spend limit of the last 10 minutes reached", "", "240s"),
         failure_kind::rate_limited,
         240},
    };
    for (const auto& expected : cases) {
        const auto why = read_gemini_error(429, expected.body);
        EXPECT_EQ(name_of(why.kind), name_of(expected.kind)) << expected.name;
        EXPECT_EQ(why.server_delay.has_value(), expected.delay.has_value()) << expected.name;
        if (why.server_delay && expected.delay) {
            EXPECT_EQ(why.server_delay->count(), *expected.delay) << expected.name;
        }
    }
}

TEST(GeminiErrors, HeaderFieldsNameDelays) {
    net::header_list headers;
    headers.add("Retry-After", "12");
    const auto delay = [&](int status, std::string_view text) {
        return gemini_failure(response_of(status, text, headers), generate, now).server_delay;
    };
    EXPECT_EQ(delay(503, ""), seconds_f{12});
    EXPECT_EQ(delay(429, quota("", "", "5s")), seconds_f{5}) << "the body precedes the header";
    // A retry cannot help.
    EXPECT_EQ(delay(400, ""), std::nullopt);
}

TEST(GeminiErrors, TheDetailIsShortAndOnOneLine) {
    const auto html = read_gemini_error(502, "<html>\n" + std::string(5000, 'x'));
    EXPECT_THAT(html.detail, HasSubstr("HTTP 502"));
    EXPECT_THAT(html.detail, HasSubstr("<html> x"));
    EXPECT_LT(html.detail.size(), 500U);
    EXPECT_THAT(html.detail, Not(HasSubstr("\n")));
    EXPECT_THAT(read_gemini_error(500, "").detail, HasSubstr("HTTP 500"));
}

TEST(GeminiErrors, UndocumentedFormatsAreRead) {
    for (const char* text :
         {"null",
          "[]",
          "[1]",
          "7",
          R"("x")",
          R"({"error":null})",
          R"({"error":"x"})",
          R"({"error":[]})",
          R"({"error":{"code":"x","message":5,"status":[],"details":{}}})",
          R"({"error":{"details":[null,1,{"@type":5,"violations":[1],"fieldViolations":{}}]}})",
          "\xFF{"}) {
        EXPECT_EQ(name_of(read_gemini_error(500, text).kind), "server_fault") << text;
        EXPECT_EQ(name_of(read_gemini_error(429, text).kind), "rate_limited") << text;
    }
}

TEST(GeminiErrors, AnErrorWithStatus200IsReadByItsCode) {
    struct code_case {
        const char* error;
        failure_kind kind;
    };
    constexpr code_case cases[] = {
        {R"({"code":503,"message":"The model is overloaded."})", failure_kind::overloaded},
        {R"({"code":429,"message":"limit: 0"})", failure_kind::misconfigured},
        {R"({"code":400,"message":"API key not valid."})", failure_kind::misconfigured},
        // Without an HTTP status it is a server fault.
        {R"({"message":"broken"})", failure_kind::server_fault},
        {R"({"code":13,"message":"internal"})", failure_kind::server_fault},
        {R"({"code":200})", failure_kind::server_fault},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(
            name_of(gemini_failure(json::parse(expected.error), generate, now).kind),
            name_of(expected.kind))
            << expected.error;
    }
}

}  // namespace
}  // namespace reelsd::model
