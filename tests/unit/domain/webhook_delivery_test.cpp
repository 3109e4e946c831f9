// Goal: each outcome of a try leads to exactly one transition, tries are spread over a day, and
// signatures follow the specification. Method: pure functions, tables.
#include <reelsd/base/error.hpp>
#include <reelsd/domain/webhooks/delivery.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace reelsd::webhooks {
namespace {

using namespace std::chrono_literals;

constexpr seconds_f base{5.0};
constexpr seconds_f day{86'400.0};
constexpr double middle = 0.5;

delivery_try answered(int status, std::optional<seconds_f> retry_after = {}) {
    return {.status_code = status, .retry_after = retry_after};
}

delivery_try unanswered(errc why) {
    return {.status_code = {}, .failure = why};
}

delivery_step after(const delivery_try& ended, int round_tries = 1, seconds_f time_left = day) {
    const retry_context context{.round_tries = round_tries, .time_left = time_left};
    return step_after(ended, context, base, middle);
}

TEST(DelayAfter, GrowsToFourHours) {
    constexpr std::array<double, 10> seconds{
        5, 30, 120, 600, 1800, 3600, 7200, 14'400, 14'400, 14'400};
    for (std::size_t at = 0; at < seconds.size(); ++at) {
        SCOPED_TRACE(at);
        const auto tries = static_cast<int>(at) + 1;
        EXPECT_DOUBLE_EQ(delay_after(tries, base, middle).count(), seconds.at(at));
    }
}

TEST(DelayAfter, IsSpreadByATenth) {
    EXPECT_DOUBLE_EQ(delay_after(4, base, 0).count(), 540);
    EXPECT_DOUBLE_EQ(delay_after(4, base, 1).count(), 660);
    EXPECT_DOUBLE_EQ(delay_after(1, seconds_f{0.1}, middle).count(), 0.1);
}

TEST(DelayAfter, SpreadsTriesOverADay) {
    for (const double spread : {0.0, 0.5, 1.0}) {
        SCOPED_TRACE(spread);
        seconds_f at{0};
        int tries = 1;
        for (;; ++tries) {
            const retry_context context{.round_tries = tries, .time_left = day - at};
            const auto step = step_after(answered(500), context, base, spread);
            const auto* const later = std::get_if<snoozed>(&step);
            if (later == nullptr) break;
            at += later->delay;
        }
        EXPECT_GE(tries, 11);
        EXPECT_LE(tries, 14);
        EXPECT_GT(at, day - 4.5h) << "the last one is near the end";
        EXPECT_LE(at, day);
    }
}

TEST(StepAfter, SucceedsAtAny2xx) {
    for (const int status : {200, 201, 202, 204, 299}) {
        const auto step = after(answered(status));
        ASSERT_TRUE(std::holds_alternative<delivered>(step)) << status;
        EXPECT_EQ(std::get<delivered>(step).status_code, status);
    }
}

TEST(StepAfter, RetriesTransientFailures) {
    struct test_case {
        delivery_try ended;
        const char* cause;
    };
    delivery_try refused = unanswered(errc::connection_failed);
    refused.fault = "connection refused";
    const std::array<test_case, 10> cases{{
        {answered(300), "answered 300: redirects are not followed"},
        {answered(301), "answered 301: redirects are not followed"},
        {answered(308), "answered 308: redirects are not followed"},
        {answered(400), "answered 400"},
        {answered(404), "answered 404"},
        {answered(503), "answered 503"},
        {unanswered(errc::timed_out), "no answer within 15 seconds"},
        {unanswered(errc::connection_failed), "no connection, or the connection was lost"},
        {refused, "connection refused"},
        {unanswered(errc::internal), "internal error"},
    }};
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.cause);
        const auto step = after(expected.ended);
        ASSERT_TRUE(std::holds_alternative<snoozed>(step));
        EXPECT_EQ(std::get<snoozed>(step).cause, expected.cause);
        EXPECT_EQ(std::get<snoozed>(step).status_code, expected.ended.status_code);
        EXPECT_DOUBLE_EQ(std::get<snoozed>(step).delay.count(), 5);
    }
}

TEST(AnswerText, IsTextWithoutZeros) {
    EXPECT_EQ(answer_text("caf\xC3\xA9"), "caf\xC3\xA9");
    EXPECT_EQ(answer_text(std::string_view{"a\0b", 3}), "ab");
    EXPECT_EQ(answer_text("a\xFF\xC3"), "a\xEF\xBF\xBD\xEF\xBF\xBD") << "a cut character";
}

TEST(StepAfter, EndsAtFinalFailures) {
    for (const auto& ended :
         {answered(410), unanswered(errc::address_refused), unanswered(errc::invalid_argument)}) {
        EXPECT_TRUE(std::holds_alternative<given_up>(after(ended)));
    }
    EXPECT_TRUE(std::holds_alternative<given_up>(after(answered(500), 1, seconds_f{4.9})));
    EXPECT_TRUE(std::holds_alternative<given_up>(after(answered(500), 1, seconds_f{-1.0})));
    EXPECT_TRUE(std::holds_alternative<snoozed>(after(answered(500), 1, seconds_f{5.0})));
    EXPECT_TRUE(std::holds_alternative<released>(after(unanswered(errc::cancelled))));
}

TEST(StepAfter, RespectsRetryAfterWithinBounds) {
    const auto delay = [](const delivery_try& ended) {
        return std::get<snoozed>(after(ended)).delay.count();
    };
    EXPECT_DOUBLE_EQ(delay(answered(503, 60s)), 60);
    EXPECT_DOUBLE_EQ(delay(answered(429, 60s)), 60);
    EXPECT_DOUBLE_EQ(delay(answered(500, 60s)), 5) << "ignored for other statuses";
    EXPECT_DOUBLE_EQ(delay(answered(503, 1s)), 5) << "never earlier than our own schedule";
    EXPECT_DOUBLE_EQ(delay(answered(503, 100h)), 14'400);
}

TEST(RetryAfterIn, ParsesSecondsAndDates) {
    const auto now = time_point{std::chrono::sys_days{std::chrono::November / 20 / 2026} + 8h};
    const auto in = [now](std::string_view text) -> std::optional<double> {
        const auto wait = retry_after_in(text, now);
        if (!wait) return std::nullopt;
        return wait->count();
    };
    EXPECT_EQ(in("0"), 0);
    EXPECT_EQ(in("120"), 120);
    EXPECT_EQ(in("99999999999999999999"), 999'999'999);
    EXPECT_EQ(in("Fri, 20 Nov 2026 08:02:00 GMT"), 120);
    EXPECT_EQ(in("Fri, 20 Nov 2026 07:00:00 GMT"), 0);
    for (const auto* const wrong : {"", "-1", "1.5", "soon", "Fri, 20 Nov 2026 08:02:00 GMT x"}) {
        EXPECT_EQ(in(wrong), std::nullopt) << wrong;
    }
}

// The example of the specification.
constexpr const char* known_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const signed_message known_message{
    .id = "msg_p5jXN8AQM9LWM0D4loKWxJek",
    .timestamp = 1614265330,
    .body = R"({"test": 2432232314})"};

TEST(Signature, MatchesTheSpecification) {
    const std::vector<std::string> secrets{known_secret};
    EXPECT_EQ(
        signatures_of(known_message, secrets), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, EachSecretSigns) {
    const std::vector<std::string> secrets{generate_webhook_secret(), known_secret, "x", "whsec_?"};
    const auto both = signatures_of(known_message, secrets);
    const auto blank = both.find(' ');
    ASSERT_NE(blank, std::string::npos);
    EXPECT_EQ(both.substr(blank + 1), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    EXPECT_EQ(both.substr(0, blank), signatures_of(known_message, {secrets.data(), 1}));
    EXPECT_EQ(signatures_of(known_message, {}), "");
}

TEST(Signature, SecretsAreLongAndDiffer) {
    std::set<std::string> secrets;
    for (int times = 0; times < 100; ++times) secrets.insert(generate_webhook_secret());
    EXPECT_EQ(secrets.size(), 100U);
    for (const auto& secret : secrets) {
        EXPECT_EQ(secret.size(), 6U + 44U);
        EXPECT_TRUE(secret.starts_with("whsec_"));
    }
}

TEST(ReceiverOf, OmitsTheQuery) {
    EXPECT_EQ(receiver_of("https://a.test/x?key=1#f"), "https://a.test/x");
    EXPECT_EQ(receiver_of("https://a.test/x#f?"), "https://a.test/x");
    EXPECT_EQ(receiver_of("https://a.test"), "https://a.test");
    EXPECT_EQ(receiver_of(""), "");
}

TEST(DeliveryState, ConvertsToAndFromNames) {
    for (const auto state :
         {delivery_state::pending, delivery_state::delivered, delivery_state::failed}) {
        EXPECT_EQ(enum_from<delivery_state>(name_of(state)).value(), state);
    }
    EXPECT_FALSE(enum_from<delivery_state>("done"));
}

}  // namespace
}  // namespace reelsd::webhooks
