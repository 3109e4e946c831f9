#include <reelsd/base/bounds.hpp>
#include <reelsd/base/format_fault.hpp>
#include <reelsd/domain/jobs/failure_text.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;

claimed_job on_attempt(int attempt) {
    return {
        .id = {7},
        .account = {1},
        .url = "",
        .claim = attempt,
        .attempt = attempt,
        .created_at = {}};
}

// Goal: each failure leads to exactly one next state. Method: pure function, fixed jitter, table.
TEST(AfterFailure, PicksTheNextState) {
    struct test_case {
        const char* name;
        errc why;
        int attempt;
        retry_allowed allowed;
        const char* next;  // "failed CODE", "retried SECONDS" or "released".
    };
    constexpr test_case cases[] = {
        {"gone is final", errc::video_unavailable, 1, retry_allowed::yes, "failed unavailable"},
        {"restricted", errc::video_restricted, 1, retry_allowed::yes, "failed unavailable"},
        {"restricted to signed-in users",
         errc::login_required,
         1,
         retry_allowed::yes,
         "failed unavailable"},
        {"a photo", errc::no_video, 1, retry_allowed::yes, "failed unsupported_format"},
        {"separate tracks",
         errc::separate_tracks,
         1,
         retry_allowed::yes,
         "failed unsupported_format"},
        {"first transient error retries",
         errc::connection_failed,
         1,
         retry_allowed::yes,
         "retried 10"},
        {"the second waits twice as long",
         errc::connection_failed,
         2,
         retry_allowed::yes,
         "retried 20"},
        {"the last is final",
         errc::connection_failed,
         3,
         retry_allowed::yes,
         "failed download_failed"},
        {"past the last is final too",
         errc::timed_out,
         9,
         retry_allowed::yes,
         "failed download_failed"},
        {"rate limits retry", errc::platform_rate_limited, 1, retry_allowed::yes, "retried 10"},
        {"a test link does not",
         errc::platform_rate_limited,
         1,
         retry_allowed::no,
         "failed rate_limited"},
        {"a full disk may be emptied", errc::storage_failed, 1, retry_allowed::yes, "retried 10"},
        {"a full disk at the last attempt",
         errc::storage_failed,
         3,
         retry_allowed::yes,
         "failed storage_error"},
        {"a stop costs nothing", errc::cancelled, 3, retry_allowed::yes, "released"},
        {"too long", errc::video_too_long, 1, retry_allowed::yes, "failed video_too_long"},
        {"too large", errc::video_too_large, 1, retry_allowed::yes, "failed unsupported_format"},
        {"a refused address",
         errc::address_refused,
         1,
         retry_allowed::yes,
         "failed download_failed"},
        {"a model that refuses", errc::model_refused, 1, retry_allowed::yes, "failed model_failed"},
        {"a budget that is spent",
         errc::unauthorized,
         1,
         retry_allowed::yes,
         "failed model_failed"},
        {"a model that is down",
         errc::model_unavailable,
         3,
         retry_allowed::yes,
         "failed model_failed"},
        {"a model with a wrong key",
         errc::model_misconfigured,
         3,
         retry_allowed::yes,
         "failed model_failed"},
        {"our bug", errc::internal, 3, retry_allowed::yes, "failed internal"},
        {"a helper that cannot start",
         errc::media_failed,
         3,
         retry_allowed::yes,
         "failed internal"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto next = after_failure(
            on_attempt(expected.attempt), error{expected.why}, expected.allowed, {}, 0.5);
        std::string outcome = "released";
        if (const auto* end = std::get_if<failed>(&next)) {
            outcome = "failed " + std::string{name_of(end->code)};
            EXPECT_EQ(end->text, error_text(error{expected.why}, {}));
        } else if (const auto* later = std::get_if<retried>(&next)) {
            outcome = "retried " + std::to_string(static_cast<int>(later->delay.count()));
        }
        EXPECT_EQ(outcome, expected.next);
    }
}

TEST(AfterFailure, KeepsTheCauseForOperators) {
    const error why{errc::timed_out, "no end \"é\" in time"};
    const auto later = std::get<retried>(
        at_step(after_failure(on_attempt(1), why, retry_allowed::yes, {}, 0.5), "download"));
    EXPECT_EQ(later.why.cause, errc::timed_out);
    EXPECT_EQ(later.why.step, "download");
    EXPECT_EQ(later.why.detail, why.detail());
    const auto last = std::get<failed>(
        at_step(after_failure(on_attempt(3), why, retry_allowed::yes, {}, 0.5), "analyze"));
    EXPECT_EQ(last.why.cause, errc::timed_out);
    EXPECT_EQ(last.why.step, "analyze");
    EXPECT_THAT(last.text, ::testing::Not(::testing::HasSubstr("no end")));
    EXPECT_TRUE(std::holds_alternative<released>(at_step(released{}, "analyze")));
}

// Goal: stored details are short, valid text, for any bytes of a platform or a model.
TEST(AfterFailure, CutsAndCleansTheDetail) {
    const auto kept = [](std::string detail) {
        const error why{errc::internal, std::move(detail)};
        return std::get<failed>(after_failure(on_attempt(3), why, retry_allowed::no, {}, 0.5))
            .why.detail;
    };
    EXPECT_EQ(kept(std::string("a\0b\n\x7F\xFFé", 8)), "a?b???é");
    const std::string longest(bounds::attempt_detail_bytes_max, 'x');
    EXPECT_EQ(kept(longest), longest);
    EXPECT_EQ(kept(longest + "x"), longest);
    EXPECT_EQ(kept(longest.substr(1) + "é"), longest.substr(1)) << "no incomplete character";
}

TEST(RetryDelay, DoublesWithJitterUpToABound) {
    EXPECT_EQ(retry_delay(1, 10s, 0.0), 7.5s);
    EXPECT_EQ(retry_delay(1, 10s, 1.0), 12.5s);
    EXPECT_EQ(retry_delay(4, 10s, 0.5), 80s);
    EXPECT_EQ(retry_delay(1, 0s, 1.0), 0s);
    EXPECT_EQ(retry_delay(1000, 10s, 1.0), 3600s);
}

TEST(AfterSnooze, WaitsForOurRateLimitButNotForALongCooldown) {
    struct test_case {
        const char* name;
        std::chrono::seconds wait;
        bool is_cooldown;
        std::optional<std::chrono::seconds> cooling_for;  ///< Before this wait.
        bool is_snoozed;
    };
    constexpr test_case cases[] = {
        {"the next turn", 8s, false, std::nullopt, true},
        {"a long queue of our own", 2h, false, std::nullopt, true},
        {"a first cool-down", 15min, true, std::nullopt, true},
        {"a cool-down that ends within the hour", 30min, true, 29min, true},
        {"a cool-down that does not", 30min, true, 30min, false},
        {"a pause of an hour", 1h, true, std::nullopt, false},
        {"a long pause", 12h, true, std::nullopt, false},
        {"a model that is being tried", 2s, true, 61min, true},
        {"a minute's pause that began within the hour", 61s, true, 59min, true},
        {"a minute's pause after the hour", 61s, true, 62min, false},
        {"a model that is being tried all the time", 2s, true, 3h, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto job = on_attempt(1);
        // Waiting for our own pace ends no job, however old it is.
        const auto now = job.created_at + 70min;
        if (expected.cooling_for) job.cooling_since = now - *expected.cooling_for;
        const auto next = after_snooze(
            job, {.wait = expected.wait, .is_cooldown = expected.is_cooldown}, now, {});
        const auto* later = std::get_if<snoozed>(&next);
        ASSERT_EQ(later != nullptr, expected.is_snoozed);
        if (later != nullptr) {
            EXPECT_EQ(later->delay, std::chrono::duration<double>{expected.wait});
            EXPECT_EQ(later->is_cooldown, expected.is_cooldown);
            continue;
        }
        const auto& end = std::get<failed>(next);
        const auto minutes = std::chrono::ceil<std::chrono::minutes>(expected.wait);
        EXPECT_EQ(end.code, job_error_code::rate_limited);
        EXPECT_THAT(
            end.text,
            ::testing::AllOf(
                ::testing::StartsWith("The platform temporarily rate-limited the service"),
                ::testing::HasSubstr(std::to_string(minutes.count()) + " minutes")));
        EXPECT_EQ(end.retry_after, std::chrono::duration<double>{expected.wait});
    }
}

TEST(AfterOutage, SpendsNoAttemptDuringTheFirstHourOfAnOutage) {
    const error why{errc::database_unavailable};
    auto first = on_attempt(1);
    auto last = on_attempt(3);
    const auto now = first.created_at + 72h;
    const auto begun = after_outage(last, why, now, {}, 0.5);
    ASSERT_TRUE(std::holds_alternative<snoozed>(begun));
    EXPECT_EQ(std::get<snoozed>(begun).delay, 10s);
    EXPECT_TRUE(std::get<snoozed>(begun).is_cooldown) << "its beginning is kept";

    first.cooling_since = last.cooling_since = now - 59min;
    EXPECT_TRUE(std::holds_alternative<snoozed>(after_outage(last, why, now, {}, 0.5)));

    first.cooling_since = last.cooling_since = now - 61min;
    EXPECT_TRUE(std::holds_alternative<retried>(after_outage(first, why, now, {}, 0.5)));
    const auto end = after_outage(last, why, now, {}, 0.5);
    ASSERT_TRUE(std::holds_alternative<failed>(end));
    EXPECT_EQ(std::get<failed>(end).code, job_error_code::storage_error);
}

TEST(ErrorText, BeginsAsDocumented) {
    const std::map<job_error_code, std::string> beginnings = {
        {job_error_code::unavailable, "Video is not available"},
        {job_error_code::rate_limited, "The platform temporarily rate-limited the service"},
        {job_error_code::model_failed, "The AI model could not process the video"},
        {job_error_code::unsupported_format, "The video format is not supported"},
        {job_error_code::storage_error, "A storage error occurred"},
        {job_error_code::video_too_long, "The video is longer than 90 seconds"},
        {job_error_code::download_failed, "The video could not be downloaded"},
        {job_error_code::internal, "Internal error"},
    };
    std::set<job_error_code> met;
    for (int number = 0; number <= static_cast<int>(errc::internal); ++number) {
        const auto why = static_cast<errc>(number);
        const auto code = job_error_code_of(why);
        EXPECT_THAT(error_text(error{why}, {}), ::testing::StartsWith(beginnings.at(code)))
            << name_of(why);
        EXPECT_EQ(*enum_from<job_error_code>(name_of(code)), code);
        met.insert(code);
    }
    EXPECT_EQ(met.size(), beginnings.size());
}

TEST(ErrorText, NamesTheSupportedFormats) {
    EXPECT_THAT(
        error_text(error{errc::unsupported_format}, {}),
        ::testing::HasSubstr("MP4, MOV, WebM and MKV"));
    EXPECT_EQ(
        error_text(error{errc::unsupported_format, "text of a file"}, {}),
        error_text(error{errc::unsupported_format}, {}));
}

TEST(ErrorText, NamesTheFaultOfAFile) {
    for (const auto& [detail, part] :
         {std::pair{format_fault::large_pictures, "4096 x 2304"},
          std::pair{format_fault::single_picture, "a single picture"},
          std::pair{format_fault::only_cover, "a cover picture"},
          std::pair{format_fault::no_video, "has no video."}}) {
        const auto text = error_text(error{errc::unsupported_format, std::string{detail}}, {});
        EXPECT_THAT(text, ::testing::StartsWith("The video format is not supported: "));
        EXPECT_THAT(text, ::testing::HasSubstr(part));
        EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("Supported are")));
    }
}

TEST(ErrorText, NamesTheRemediesIfThePlatformHasNeverAnswered) {
    for (int number = 0; number <= static_cast<int>(errc::internal); ++number) {
        const auto why = static_cast<errc>(number);
        const auto text = unanswered_text(why);
        const bool is_platforms = why == errc::platform_rate_limited ||
                                  why == errc::platform_failed || why == errc::platform_changed ||
                                  why == errc::connection_failed || why == errc::timed_out ||
                                  why == errc::login_required;
        EXPECT_EQ(!text.empty(), is_platforms) << name_of(why);
        if (text.empty()) continue;
        for (const auto* const part :
             {"never answered", "platform-proxy", "platform-cookies-file", "Upload the video"})
            EXPECT_THAT(text, ::testing::HasSubstr(part));
        for (const auto* const promise : {"later", "after that", "minutes"})
            EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(promise)));
    }
}

TEST(ErrorText, NamesTheCauseAndTheLimit) {
    EXPECT_THAT(
        error_text(error{errc::video_too_long}, {.video_seconds_max = 30s}),
        ::testing::StartsWith("The video is longer than 30 seconds"));
    EXPECT_THAT(
        error_text(error{errc::video_too_large}, {.video_bytes_max = 1024}),
        ::testing::HasSubstr("larger than 1024 bytes."));
    EXPECT_THAT(error_text(error{errc::video_too_large}, {}), ::testing::HasSubstr("100 MiB."));
    EXPECT_THAT(
        error_text(error{errc::proxy_failed, "[::1]:3128: it did not answer in time"}, {}),
        ::testing::HasSubstr("the proxy [::1]:3128 of this service does not work."));
    EXPECT_THAT(
        error_text(error{errc::proxy_failed, "a:1 to www.instagram.com: refused (status 403)"}, {}),
        ::testing::HasSubstr(
            "the proxy a:1 of this service could not connect to www.instagram.com."));
    EXPECT_THAT(error_text(error{errc::video_unavailable}, {}), ::testing::HasSubstr("deleted"));
    EXPECT_THAT(error_text(error{errc::video_restricted}, {}), ::testing::HasSubstr("age, region"));
    EXPECT_THAT(error_text(error{errc::login_required}, {}), ::testing::HasSubstr("logged in"));
    EXPECT_THAT(error_text(error{errc::no_video}, {}), ::testing::HasSubstr("photo"));
}

TEST(IsRetryable, DependsOnTheCodeAndOnAnUnreachableModel) {
    struct test_case {
        job_error_code code;
        std::string_view cause;
        bool is_retryable;
    };
    constexpr test_case cases[] = {
        {job_error_code::unavailable, "login_required", false},
        {job_error_code::unsupported_format, "no_video", false},
        {job_error_code::video_too_long, "video_too_long", false},
        {job_error_code::rate_limited, "platform_rate_limited", true},
        {job_error_code::download_failed, "proxy_failed", true},
        {job_error_code::storage_error, "storage_failed", true},
        {job_error_code::internal, "lease_expired", true},
        {job_error_code::model_failed, "model_unavailable", true},
        {job_error_code::model_failed, "limit_reached", true},
        {job_error_code::model_failed, "model_refused", false},
        {job_error_code::model_failed, "model_misconfigured", false},
        {job_error_code::model_failed, "", false},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(is_retryable(expected.code, expected.cause), expected.is_retryable)
            << name_of(expected.code) << " " << expected.cause;
    }
}

TEST(Names, RoundTripAndUnknownIsAnError) {
    for (const auto status :
         {job_status::pending, job_status::processing, job_status::done, job_status::error}) {
        EXPECT_EQ(*enum_from<job_status>(name_of(status)), status);
    }
    EXPECT_FALSE(enum_from<job_status>("Done"));
    EXPECT_FALSE(enum_from<job_error_code>(""));
}

}  // namespace
}  // namespace reelsd::jobs
