#include <reelsd/base/foreign_json.hpp>
#include <reelsd/http/request_context.hpp>
#include <reelsd/http/response.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <support/http_request.hpp>

#include <stdexcept>
#include <string>

// Goal: clients see one of two error shapes and never an internal cause; their requests are parsed
// strictly. Method: tables of codes, bodies and ids.
namespace reelsd::http {
namespace {

using testing::make_request;

const auto far = deadline::after(std::chrono::hours{1});
const auto quiet = log::logger::silent();

TEST(ErrorShapes, MapEachCodeToAStatusAndHideTheCause) {
    struct test_case {
        errc code;
        unsigned status;
        const char* body;
        const char* retry_after = "";
    };
    const char* const ours = R"({"message":"internal server error","status":"error"})";
    const char* const away =
        R"({"message":"the service is unavailable, try again shortly","status":"error"})";
    const test_case cases[] = {
        {errc::invalid_argument, 400, R"({"message":"secret \"cause\"","status":"error"})"},
        {errc::unauthorized, 401, R"({"error":"invalid API token"})"},
        {errc::not_found, 404, R"({"message":"not found","status":"error"})"},
        {errc::conflict, 409, R"({"message":"conflict with the present state","status":"error"})"},
        {errc::limit_reached, 429, R"({"message":"secret \"cause\"","status":"error"})", "5"},
        {errc::database_unavailable, 503, away, "5"},
        {errc::cancelled, 503, away, "5"},
        {errc::timed_out, 503, away, "5"},
        {errc::storage_failed, 500, ours},
        {errc::model_refused, 500, ours},
        {errc::internal, 500, ours},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(name_of(expected.code));
        const auto answer = problem_response(error{expected.code, "secret \"cause\""});
        EXPECT_EQ(number_of(answer.code()), expected.status);
        EXPECT_EQ(answer.body(), expected.body);
        EXPECT_EQ(answer.find("content-type"), "application/json");
        EXPECT_EQ(answer.find("Retry-After"), expected.retry_after);
        EXPECT_EQ(answer.find("WWW-Authenticate"), expected.status == 401 ? "Bearer" : "");
    }
}

TEST(ErrorShapes, RefusedRequestsHaveAReason) {
    struct test_case {
        response answer;
        unsigned status;
        const char* reason;
    };
    const test_case cases[] = {
        {problem_response(error_reason::request_malformed, "x"), 400, "request_malformed"},
        {problem_response(error_reason::webhook_required, "x"), 400, "webhook_required"},
        {problem_response(error_reason::insufficient_scope, "x"), 403, "insufficient_scope"},
        {problem_response(error_reason::rate_limit_submissions, "x"),
         429,
         "rate_limit_submissions"},
        {problem_response(error_reason::server_busy, "x"), 429, "server_busy"},
        {problem_response(error_reason::url_not_supported_host, "x"),
         400,
         "url_not_supported_host"},
        {problem_response(error{errc::invalid_argument, "x"}), 400, "request_malformed"},
        {problem_response(error{errc::limit_reached, "x"}), 429, "server_busy"},
        {problem_response(status::not_found, "x"), 404, "not_found"},
        {problem_response(error_reason::video_not_kept, "x"), 404, "video_not_kept"},
        {problem_response(status::forbidden, "x"), 403, "forbidden"},
        {problem_response(status::method_not_allowed, "x"), 405, "method_not_allowed"},
        {problem_response(status::request_timeout, "x"), 408, "request_timeout"},
        {problem_response(status::conflict, "x"), 409, "conflict"},
        {problem_response(status::precondition_failed, "x"), 412, "precondition_failed"},
        {problem_response(status::content_too_large, "x"), 413, "content_too_large"},
        {problem_response(status::unsupported_media_type, "x"), 415, "unsupported_media_type"},
        {problem_response(status::range_not_satisfiable, "x"), 416, "range_not_satisfiable"},
        {problem_response(status::misdirected_request, "x"), 421, "misdirected_request"},
        {problem_response(status::request_header_fields_too_large, "x"),
         431,
         "request_header_fields_too_large"},
        {problem_response(status::internal_server_error, "x"), 500, "internal_server_error"},
        {problem_response(status::service_unavailable, "x"), 503, "service_unavailable"},
        {problem_response(status::version_not_supported, "x"), 505, "http_version_not_supported"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.reason);
        EXPECT_EQ(number_of(expected.answer.code()), expected.status);
        EXPECT_EQ(expected.answer.find("X-Error-Code"), expected.reason);
        EXPECT_EQ(expected.answer.body(), R"({"message":"x","status":"error"})");
        if (expected.status == 503) {
            EXPECT_EQ(expected.answer.find("Retry-After"), "5");
        }
    }
}

TEST(ErrorShapes, ReplaceTextThatIsNotUtf8) {
    const auto answer = problem_response(status::bad_request, "got \"\xFF\"");
    EXPECT_EQ(answer.body(), "{\"message\":\"got \\\"\xEF\xBF\xBD\\\"\",\"status\":\"error\"}");
}

TEST(RequestId, IsAcceptedOnlyWhenSane) {
    EXPECT_TRUE(is_sane_request_id("a"));
    EXPECT_TRUE(is_sane_request_id("A.z_0-9"));
    EXPECT_TRUE(is_sane_request_id(std::string(128, 'x')));
    EXPECT_FALSE(is_sane_request_id(""));
    EXPECT_FALSE(is_sane_request_id(std::string(129, 'x')));
    for (const char* const text : {"a b", "a/b", "a\n", "\xC3\xA9", "a,b", "a:b"}) {
        EXPECT_FALSE(is_sane_request_id(text)) << text;
    }
}

std::string nested(std::ptrdiff_t depth) {
    const auto size = static_cast<std::size_t>(depth - 1);
    return R"({"a":)" + std::string(size, '[') + std::string(size, ']') + "}";
}

TEST(JsonBody, MustBeAnObject) {
    const std::string accepted[] = {
        "{}",
        R"( {"url": "x", "other": [1, {"a": null}]} )",
        R"({"a":"[[[[{{{{\"["})",
        nested(foreign_json_depth_max)};
    for (const auto& body : accepted) {
        const request_context ctx{make_request(verb::post, "/", body), quiet, far};
        EXPECT_TRUE(ctx.json_body()) << body;
    }
    const std::string refused[] = {
        "",
        " ",
        "null",
        "[]",
        "\"a\"",
        "1",
        "{",
        "{}}",
        "{} {}",
        "{'a': 1}",
        "{\"a\": 1,}",
        "{\"a\": \"\xFF\"}",
        "{\"a\": NaN}",
        "{\"a\": \"\\ud80\"}"};
    for (const auto& body : refused) {
        const request_context ctx{make_request(verb::post, "/", body), quiet, far};
        const auto read = ctx.json_body();
        ASSERT_FALSE(read) << body;
        EXPECT_EQ(read.error().code(), errc::invalid_argument);
        EXPECT_EQ(read.error().detail(), "request body must be a JSON object");
    }
}

TEST(JsonBody, MayContainATextThatWasCutInsideAnEmoji) {
    const request_context ctx{
        make_request(verb::post, "/", R"({"note": "Look \ud83d", "a": "\ude00"})"), quiet, far};
    const auto read = ctx.json_body();
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, reelsd::json({{"note", "Look \uFFFD"}, {"a", "\uFFFD"}}));
}

TEST(JsonBody, NamesItsBounds) {
    struct test_case {
        std::string body;
        const char* message;
    };
    constexpr auto too_deep = "request body is nested too deeply: at most 64 levels";
    constexpr auto out_of_range = "request body has a number out of range";
    const test_case cases[] = {
        {nested(foreign_json_depth_max + 1), too_deep},
        {std::string(65536, '['), too_deep},
        {"{\"a\": 1e999}", out_of_range},
        {"{\"a\": [-1e999]}", out_of_range}};
    for (const auto& expected : cases) {
        const request_context ctx{make_request(verb::post, "/", expected.body), quiet, far};
        const auto read = ctx.json_body();
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().detail(), expected.message);
    }
}

TEST(JsonBody, HasAtMostTwoThousandMembers) {
    const auto body_of = [](int members) {
        std::string text = "{";
        for (int name = 1; name < members; ++name) text += fmt::format("\"{}\":0,", name);
        return text + "\"last\":{}}";
    };
    const request_context most{make_request(verb::post, "/", body_of(2000)), quiet, far};
    EXPECT_TRUE(most.json_body());
    const request_context more{make_request(verb::post, "/", body_of(2001)), quiet, far};
    const auto read = more.json_body();
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().detail(), "request body must have at most 2000 members");
}

TEST(RequestContext, StopReachesEarlierAndLaterTokens) {
    request_context ctx{make_request(verb::get, "/"), quiet, far};
    const auto before = ctx.stop();
    EXPECT_FALSE(before.stop_requested());
    ctx.request_stop();
    EXPECT_TRUE(before.stop_requested());
    EXPECT_TRUE(ctx.stop().stop_requested());

    request_context late{make_request(verb::get, "/"), quiet, far};
    late.request_stop();
    EXPECT_TRUE(late.stop().stop_requested());
}

TEST(Response, RefusesFieldsThatBreakTheHeader) {
    response answer{status::ok};
    EXPECT_THROW(answer.set("X", "a\r\nSet-Cookie: b"), std::invalid_argument);
    EXPECT_THROW(answer.add("X\r\n", "a"), std::invalid_argument);
    EXPECT_THROW(answer.set("", "a"), std::invalid_argument);
    EXPECT_THROW(answer.set("content-type", "a/b"), std::invalid_argument) << "set with the body";
    answer.set("Link", "a").set("link", "b");
    EXPECT_EQ(answer.find("LINK"), "b");
    answer.add("Set-Cookie", "a=1").add("Set-Cookie", "b=2");
    EXPECT_EQ(answer.fields().size(), 3U);
}

TEST(Response, DoesNotCopySharedAndStaticBodies) {
    const auto shared = std::make_shared<const std::string>("shared");
    const response first{status::ok, "text/plain", shared};
    EXPECT_EQ(first.body().data(), shared->data());
    static constexpr std::string_view lasting = "lasting";
    const auto second = response::of_static(status::ok, "text/plain", lasting);
    EXPECT_EQ(second.body().data(), lasting.data());
    EXPECT_EQ(response{status::no_content}.body(), "");
}

}  // namespace
}  // namespace reelsd::http
