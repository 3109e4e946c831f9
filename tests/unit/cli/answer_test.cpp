#include "cli/api_answer.hpp"
#include "cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

// Goal: what a failed answer tells the user, and the exit code that follows. Method: table.
TEST(FailureOf, SpeaksTheServersWords) {
    struct test_case {
        const char* name;
        int status;
        const char* body;
        const char* text;
        exit_code code;
    };
    const test_case cases[] = {
        {"no token",
         401,
         R"({"error": "invalid API token"})",
         "invalid API token (HTTP 401)",
         exit_code::refused},
        {"unknown id",
         404,
         R"({"message": "not found", "status": "error"})",
         "not found (HTTP 404)",
         exit_code::refused},
        {"bad link",
         400,
         R"({"message": "url is required"})",
         "url is required (HTTP 400)",
         exit_code::refused},
        {"a limit",
         429,
         R"({"message": "limit of 3"})",
         "limit of 3 (HTTP 429)",
         exit_code::refused},
        {"the server's fault",
         500,
         R"({"message": "internal server error"})",
         "internal server error (HTTP 500)",
         exit_code::server_failed},
        {"escape sequences",
         400,
         R"({"message": "\u001b[31ma\nb"})",
         "a b (HTTP 400)",
         exit_code::refused},
        {"no JSON",
         502,
         "<html>",
         "HTTP 502 without a message: is this a reelsd server?",
         exit_code::server_failed},
        {"JSON without a message",
         403,
         "[]",
         "HTTP 403 without a message: is this a reelsd server?",
         exit_code::refused},
        {"a message of another type",
         400,
         R"({"message": 1})",
         "HTTP 400 without a message: is this a reelsd server?",
         exit_code::refused},
        {"a redirect",
         301,
         "",
         "the server redirects elsewhere (HTTP 301): is the address right?",
         exit_code::server_failed},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto failure = failure_of(expected.status, expected.body);
        EXPECT_EQ(failure.detail(), expected.text);
        EXPECT_EQ(exit_code_of(failure.code()), expected.code);
    }
    EXPECT_EQ(exit_code_of(errc::cancelled), exit_code::interrupted);
    EXPECT_EQ(exit_code_of(errc::timed_out), exit_code::server_failed);
}

// Goal: whoever can do something about a failure is told what. Method: the codes of failure_of().
TEST(AdviceFor, SaysWhatToDo) {
    using testing::HasSubstr;
    EXPECT_THAT(advice_for(errc::unauthorized), HasSubstr("REELS_TOKEN"));
    EXPECT_THAT(advice_for(errc::not_found), HasSubstr("reels list"));
    EXPECT_THAT(advice_for(errc::limit_reached), HasSubstr("Try again"));
    EXPECT_THAT(advice_for(errc::connection_failed), HasSubstr("REELS_SERVER"));
    EXPECT_THAT(advice_for(errc::timed_out), HasSubstr("REELS_SERVER"));
    EXPECT_THAT(advice_for(errc::internal), HasSubstr("later"));
    EXPECT_EQ(advice_for(errc::invalid_argument), "") << "the server's message says it";
}

TEST(RetryAfterOf, ReadsSeconds) {
    EXPECT_EQ(retry_after_of("0"), 0s);
    EXPECT_EQ(retry_after_of("17"), 17s);
    EXPECT_EQ(retry_after_of(std::nullopt), std::nullopt);
    for (const auto* text :
         {"", "-1", "1.5", "soon", "1 ", "Fri, 31 Dec 1999 23:59:59 GMT", "99999999999999999999"}) {
        EXPECT_EQ(retry_after_of(text), std::nullopt) << text;
    }
}

TEST(SafeJson, EscapesWhatATerminalObeys) {
    EXPECT_EQ(
        safe_json("{\"a\": \"x\x7F\xC2\x9B!\xC3\xBC\"}"), "{\"a\": \"x\\u007f\\u009b!\xC3\xBC\"}");
    EXPECT_EQ(safe_json("{\n  \"a\": 1\n}"), "{\n  \"a\": 1\n}");
    EXPECT_EQ(safe_json(""), "");
}

TEST(ProgressLine, ShowsWhatAndHowLong) {
    EXPECT_EQ(progress_line("reel 42: pending", 0s, 0, 80), "| reel 42: pending, 0 s");
    EXPECT_EQ(progress_line("reel 42: pending", 75s, 5, 80), "/ reel 42: pending, 1 min 15 s");
    EXPECT_EQ(progress_line("reel 42: pending", 0s, 0, 10), "| reel 42") << "one cell stays free";
    EXPECT_EQ(progress_line("reel 42: pending", 0s, 0, 0), "");
}

}  // namespace
}  // namespace reelsd::cli
