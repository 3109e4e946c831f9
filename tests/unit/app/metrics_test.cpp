#include "app/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::app {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, CountsRequestsByRouteAndStatus) {
    metrics registry;
    const http::request_report read{
        .method = http::verb::get,
        .route = "/api/v1/reels/{id}",
        .code = http::status::ok,
        .bytes = 100,
        .took = 20ms};
    registry.note_request(read);
    registry.note_request(read);
    registry.note_request(
        {.method = http::verb::other,
         .route = "",
         .code = http::status::not_found,
         .bytes = 10,
         .took = 1ms});
    const auto text = registry.text({});
    EXPECT_THAT(
        text,
        HasSubstr("reelsd_http_requests_total{method=\"GET\",route=\"/api/v1/reels/{id}\","
                  "status=\"200\"} 2"));
    EXPECT_THAT(
        text,
        HasSubstr("reelsd_http_requests_total{method=\"OTHER\",route=\"none\",status=\"404\"} 1"));
    EXPECT_THAT(
        text,
        HasSubstr(
            "reelsd_http_request_seconds_bucket{route=\"/api/v1/reels/{id}\",le=\"0.01\"} 0"));
    EXPECT_THAT(
        text,
        HasSubstr(
            "reelsd_http_request_seconds_bucket{route=\"/api/v1/reels/{id}\",le=\"0.025\"} 2"));
    EXPECT_THAT(text, HasSubstr("reelsd_http_response_bytes_total 210"));
}

TEST(Metrics, CountsTheWorkOfWorkers) {
    metrics registry;
    registry.note_attempt("done", 4s);
    registry.note_attempt("unavailable", 1s);
    registry.note_resolution("page", "post");
    registry.note_resolution("page", "platform_rate_limited");
    registry.note_model_request("gemini", "flash", "overloaded");
    const auto text = registry.text({});
    EXPECT_THAT(text, HasSubstr("reelsd_job_attempts_total{outcome=\"unavailable\"} 1"));
    EXPECT_THAT(text, HasSubstr("reelsd_job_attempt_seconds_sum 5"));
    EXPECT_THAT(
        text,
        HasSubstr(
            "reelsd_resolutions_total{outcome=\"platform_rate_limited\",resolver=\"page\"} 1"));
    EXPECT_THAT(
        text,
        HasSubstr("reelsd_model_requests_total{model=\"flash\",outcome=\"overloaded\","
                  "provider=\"gemini\"} 1"));
}

// Goal: Prometheus sees the first event as an increase.
TEST(Metrics, SeriesExistBeforeTheirFirstEvent) {
    metrics registry;
    metrics_snapshot now;
    now.circuits.push_back({.provider = "gemini", .model = "flash"});
    const auto text = registry.text(now);
    EXPECT_THAT(text, HasSubstr("reelsd_job_attempts_total{outcome=\"storage_error\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("reelsd_webhook_tries_total{outcome=\"abandoned\"} 0\n"));
    constexpr auto* refused =
        "reelsd_model_requests_total{model=\"flash\",outcome=\"unauthorized\",provider=\"gemini\"}"
        " ";
    EXPECT_THAT(text, HasSubstr(std::string{refused} + "0\n"));
    registry.note_model_request("gemini", "flash", "unauthorized");
    EXPECT_THAT(registry.text(now), HasSubstr(std::string{refused} + "1\n"));
}

// Goal: money is exact, even beyond the precision of a double.
TEST(Metrics, ShowsTheLedgerExactly) {
    const metrics registry;
    metrics_snapshot now;
    now.models.push_back(
        {.provider = "gemini",
         .model = "flash",
         .calls = 34,
         .unpriced_calls = 2,
         .prompt_tokens = 312'400,
         .cached_prompt_tokens = 400,
         .output_tokens = 28'600,
         .thinking_tokens = 600,
         .cost_usd = "9.950000000000000001"});
    now.models.push_back(
        {.provider = "openai",
         .model = "a\"b\\c",
         .audio_seconds = "9007199254740993.001",
         .cost_usd = "0"});
    now.circuits.push_back({.provider = "gemini", .model = "flash", .open_for = seconds_f{12}});
    const auto text = registry.text(now);
    EXPECT_THAT(
        text, HasSubstr("reelsd_model_calls_total{model=\"flash\",provider=\"gemini\"} 34\n"));
    EXPECT_THAT(
        text,
        HasSubstr("reelsd_model_unpriced_calls_total{model=\"flash\",provider=\"gemini\"} 2\n"));
    EXPECT_THAT(
        text,
        HasSubstr("reelsd_model_tokens_total{kind=\"thinking\",model=\"flash\","
                  "provider=\"gemini\"} 600\n"));
    EXPECT_THAT(
        text,
        HasSubstr("# TYPE reelsd_model_cost_usd_total counter\n"
                  "reelsd_model_cost_usd_total{model=\"flash\",provider=\"gemini\"} "
                  "9.950000000000000001\n"
                  "reelsd_model_cost_usd_total{model=\"a\\\"b\\\\c\",provider=\"openai\"} 0\n"));
    EXPECT_THAT(
        text,
        HasSubstr("# TYPE reelsd_model_audio_seconds_total counter\n"
                  "reelsd_model_audio_seconds_total{model=\"flash\",provider=\"gemini\"} 0\n"
                  "reelsd_model_audio_seconds_total{model=\"a\\\"b\\\\c\",provider=\"openai\"} "
                  "9007199254740993.001\n"));
    EXPECT_THAT(
        text,
        HasSubstr("reelsd_model_circuit_open_seconds{model=\"flash\",provider=\"gemini\"} 12\n"));
}

// Goal: each scrape shows the current values of other components, not their sum.
TEST(Metrics, ReadsOtherComponentsAtEachScrape) {
    metrics registry;
    metrics_snapshot now;
    now.started_at = std::chrono::system_clock::time_point{1'790'000'000s};
    now.server.connections_accepted = 7;
    now.queries["jobs.find"] = {.count = 3, .errors = 1, .seconds = 0.5};
    now.is_ready = true;
    now.workers = 16;
    now.workers_busy = 2;
    now.kept = {.taken = 6256, .most = 67'108'864};
    now.queue =
        jobs::queue_state{.pending = 5, .due = 4, .processing = 2, .oldest_due = seconds_f{1.5}};
    for (int scrape = 0; scrape < 2; ++scrape) {
        const auto text = registry.text(now);
        EXPECT_THAT(text, HasSubstr("reelsd_start_time_seconds 1790000000\n"));
        EXPECT_THAT(text, HasSubstr("reelsd_http_connections_accepted_total 7"));
        EXPECT_THAT(text, HasSubstr("reelsd_database_round_trips_total{query=\"jobs.find\"} 3"));
        EXPECT_THAT(text, HasSubstr("reelsd_database_up 1"));
        EXPECT_THAT(text, HasSubstr("reelsd_ready 1"));
        EXPECT_THAT(text, HasSubstr("reelsd_jobs{status=\"pending\"} 5"));
        EXPECT_THAT(text, HasSubstr("reelsd_queue_due 4"));
        EXPECT_THAT(text, HasSubstr("reelsd_queue_oldest_seconds 1.5"));
        EXPECT_THAT(text, HasSubstr("reelsd_workers_busy 2"));
        EXPECT_THAT(text, HasSubstr("reelsd_kept_reels_bytes 6256"));
        EXPECT_THAT(text, HasSubstr("reelsd_kept_reels_bytes_max 67108864"));
    }
    now.queue.reset();
    now.is_ready = false;
    const auto away = registry.text(now);
    EXPECT_THAT(away, HasSubstr("reelsd_database_up 0"));
    EXPECT_THAT(away, HasSubstr("reelsd_ready 0"));
    EXPECT_THAT(away, Not(HasSubstr("reelsd_queue_due")));
}

}  // namespace
}  // namespace reelsd::app
