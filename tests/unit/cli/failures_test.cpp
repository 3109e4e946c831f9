#include "cli/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

// Goal: the message and the exit code of each failed response. Method: table.
TEST(FailureOf, ReportsTheServersMessage) {
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
        {"a failure of the server",
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
        {"a limit of a proxy",
         413,
         "<html>",
         "HTTP 413 without a message: a proxy before the server limits the size of requests",
         exit_code::refused},
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
    EXPECT_EQ(
        failure_of(404, R"({"message": "not found"})", "not_found").detail(),
        "not found (HTTP 404)");
    EXPECT_EQ(
        failure_of(429, R"({"message": "limit of 3"})", "limit_concurrent_jobs").detail(),
        "limit of 3 (HTTP 429, limit_concurrent_jobs)");
    EXPECT_EQ(exit_code_of(errc::cancelled), exit_code::interrupted);
    EXPECT_EQ(exit_code_of(errc::storage_failed), exit_code::usage) << "of a local file";
    EXPECT_EQ(exit_code_of(errc::timed_out), exit_code::server_failed);
}

// Goal: the user gets advice for failures they can fix. Method: the codes of failure_of().
TEST(AdviceFor, NamesTheRemedy) {
    using ::testing::HasSubstr;
    EXPECT_THAT(advice_for(error{errc::unauthorized}), HasSubstr("REELS_TOKEN"));
    EXPECT_THAT(advice_for(error{errc::unauthorized}), HasSubstr("dashboard's Tokens page"));
    EXPECT_THAT(advice_for(error{errc::not_found}), HasSubstr("reels list"));
    EXPECT_THAT(advice_for(error{errc::limit_reached}), HasSubstr("Try again"));
    EXPECT_THAT(advice_for(error{errc::connection_failed}), HasSubstr("REELS_SERVER"));
    EXPECT_THAT(advice_for(error{errc::timed_out}), HasSubstr("REELS_SERVER"));
    EXPECT_THAT(advice_for(error{errc::internal}), HasSubstr("later"));
    for (const char* why :
         {"SSL certificate problem: self-signed certificate",
          "error adding trust anchors from file: ca.txt"})
        EXPECT_THAT(advice_for(error{errc::connection_failed, why}), HasSubstr("--ca-file"));
    EXPECT_EQ(advice_for(error{errc::invalid_argument}), "") << "the message suffices";
    const auto advised = [](int status, const char* reason) {
        return advice_for(failure_of(status, R"({"message": "x"})", reason));
    };
    EXPECT_THAT(advised(429, "limit_concurrent_jobs"), HasSubstr("Try again in a minute"));
    EXPECT_THAT(advised(429, "budget_exceeded"), HasSubstr("next month (UTC)"));
    EXPECT_THAT(advised(404, "video_not_kept"), HasSubstr("videos-kept-days"));
    EXPECT_THAT(advised(404, "not_found"), HasSubstr("reels list"));
}

TEST(RetryTimeText, IsADateAfterAnHour) {
    const auto now = std::chrono::sys_days{2026y / 11 / 28} + 13h + 20min + 30s;
    EXPECT_EQ(retry_time_text(0s, now), "0 s");
    EXPECT_EQ(retry_time_text(3600s, now), "3600 s");
    EXPECT_EQ(retry_time_text(3601s, now), "2026-11-28 14:21 UTC");
    EXPECT_EQ(retry_time_text(211'170s, now), "2026-12-01 00:00 UTC");
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

// Goal: the number and delays of retries. Method: table.
TEST(DelayBeforeNext, FollowsTheSpecification) {
    struct test_case {
        const char* name;
        int attempts_made;
        attempt_outcome outcome;
        std::optional<std::chrono::seconds> delay;
    };
    const test_case cases[] = {
        {"no answer", 1, {}, 1s},
        {"the delay doubles", 2, {}, 2s},
        {"no fourth attempt", 3, {}, std::nullopt},
        {"too many requests", 1, {.status = 429, .retry_after = {}}, 1s},
        {"server error", 1, {.status = 500, .retry_after = {}}, 1s},
        {"bad gateway", 1, {.status = 502, .retry_after = {}}, 1s},
        {"unavailable", 1, {.status = 503, .retry_after = {}}, 1s},
        {"not implemented is final", 1, {.status = 501, .retry_after = {}}, std::nullopt},
        {"a success is final", 1, {.status = 200, .retry_after = {}}, std::nullopt},
        {"a bad request is final", 1, {.status = 400, .retry_after = {}}, std::nullopt},
        {"a bad token is final", 1, {.status = 401, .retry_after = {}}, std::nullopt},
        {"the server's longer delay", 1, {.status = 429, .retry_after = 6s}, 6s},
        {"the longer delay of the policy", 2, {.status = 503, .retry_after = 1s}, 2s},
        {"at the bound", 1, {.status = 429, .retry_after = 60s}, 60s},
        {"past the bound", 1, {.status = 429, .retry_after = 61s}, std::nullopt},
        {"a requested delay after the last attempt",
         3,
         {.status = 429, .retry_after = 1s},
         std::nullopt},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(delay_before_next({}, expected.attempts_made, expected.outcome), expected.delay);
    }
}

TEST(DelayBeforeNext, GivesUpBeyondTheBound) {
    const retry_policy patient{.attempts_max = 1000, .first_delay = 1s, .delay_max = 60s};
    EXPECT_EQ(delay_before_next(patient, 6, {}), 32s);
    EXPECT_EQ(delay_before_next(patient, 7, {}), std::nullopt);
    EXPECT_EQ(delay_before_next(patient, 999, {}), std::nullopt);
}

}  // namespace
}  // namespace reelsd::cli
