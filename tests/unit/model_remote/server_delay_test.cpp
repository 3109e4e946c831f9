// Goal: all notations of a server's delay are understood, and other text is not taken for a delay.
#include "call_failure.hpp"

#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;

/// 2026-11-20 07:00:00 UTC.
const std::chrono::system_clock::time_point now =
    std::chrono::sys_days{2026y / std::chrono::November / 20} + 7h;

struct test_case {
    const char* text;
    std::optional<double> seconds;
};

std::optional<double> count(std::optional<seconds_f> delay) {
    if (!delay) return std::nullopt;
    return delay->count();
}

TEST(ServerDelay, DurationsOfProtoJson) {
    constexpr test_case cases[] = {
        {"31s", 31},
        {"34.5s", 34.5},
        {"900ms", 0.9},
        {"0s", 0},
        // More than a day is a mistake of the server.
        {"1000000s", 86'400},
        {"", std::nullopt},
        {"s", std::nullopt},
        {"31", std::nullopt},
        {"31 s", std::nullopt},
        {"31m", std::nullopt},
        {"-1s", std::nullopt},
        {"infs", std::nullopt},
        {"nans", std::nullopt},
        {"1e3s", std::nullopt},
        {"31seconds", std::nullopt},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(count(duration_from(expected.text)), expected.seconds) << expected.text;
}

TEST(ServerDelay, InMessages) {
    constexpr test_case cases[] = {
        {"You exceeded your quota. Please retry in 31.25s.", 31.25},
        {"Please retry in 500ms, or later", 0.5},
        {"retry in 5 minutes", std::nullopt},
        {"retry in a while", std::nullopt},
        {"retry in ", std::nullopt},
        {"The model is overloaded.", std::nullopt},
        {"", std::nullopt},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(count(delay_in_message(expected.text)), expected.seconds) << expected.text;
}

TEST(ServerDelay, InHeaderFields) {
    constexpr test_case cases[] = {
        {"20", 20},
        {"0", 0},
        {"1.5", 1.5},
        {"Fri, 20 Nov 2026 07:00:30 GMT", 30},
        {"Fri, 20 Nov 2026 06:00:00 GMT", 0},
        {"Fri, 20 Nov 2036 06:00:00 GMT", 86'400},
        {"Fri, 31 Dec 9999 23:59:59 GMT", 86'400},
        {"-5", std::nullopt},
        {"soon", std::nullopt},
        {"20s", std::nullopt},
        {"Fri, 20 Nov 2026 07:00:30 CET", std::nullopt},
        {"", std::nullopt},
    };
    for (const auto& expected : cases) {
        net::header_list headers;
        headers.add("Retry-After", expected.text);
        EXPECT_EQ(count(delay_in_headers(headers, now)), expected.seconds) << expected.text;
    }
    EXPECT_EQ(delay_in_headers({}, now), std::nullopt);
}

TEST(ServerDelay, MillisecondsPrecedeSeconds) {
    net::header_list headers;
    headers.add("retry-after", "9");
    headers.add("retry-after-ms", "250");
    EXPECT_EQ(count(delay_in_headers(headers, now)), 0.25);
    net::header_list broken;
    broken.add("retry-after", "9");
    broken.add("retry-after-ms", "soon");
    EXPECT_EQ(count(delay_in_headers(broken, now)), 9);
}

TEST(ServerDelay, DailyQuotasAreResetAtEight) {
    EXPECT_EQ(until_next_quota_day(now), seconds_f{3600});
    EXPECT_EQ(until_next_quota_day(now + 1h), seconds_f{24.0 * 3600}) << "never 0";
    EXPECT_EQ(until_next_quota_day(now + 2h), seconds_f{23.0 * 3600});
}

// Without another delay the end of the rate limit's window counts, if the limit is exhausted.
TEST(ServerDelay, ExhaustedLimits) {
    const auto delay = [](std::initializer_list<net::header> fields) {
        net::header_list headers;
        for (const auto& field : fields) headers.add(field.name, field.value);
        return delay_in_limits(headers);
    };
    EXPECT_EQ(
        delay({{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "6m0s"}}),
        seconds_f{360});
    EXPECT_EQ(
        delay(
            {{"x-ratelimit-remaining-requests", "0"},
             {"x-ratelimit-reset-requests", "120ms"},
             {"x-ratelimit-remaining-tokens", "0"},
             {"x-ratelimit-reset-tokens", "1h1m1.5s"}}),
        seconds_f{3661.5});
    EXPECT_EQ(
        delay({{"x-ratelimit-remaining-tokens", "7"}, {"x-ratelimit-reset-tokens", "6s"}}),
        std::nullopt);
    for (const auto* const odd : {"", "6", "soon", "1d", "s"}) {
        EXPECT_EQ(
            delay({{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", odd}}),
            std::nullopt)
            << odd;
    }
}

}  // namespace
}  // namespace reelsd::model
