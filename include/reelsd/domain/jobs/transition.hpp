#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reelsd::jobs {

/// Search index of a reel, stored together with its result. Created by the model layer.
struct search_entry {
    /// Texts of decreasing weight; at most 4, without NUL characters.
    std::vector<std::string> words = {};
    /// The embedder's sparse vector, component by component: as many ids as weights (above 0).
    std::vector<std::int32_t> concepts = {};
    std::vector<double> concept_weights = {};
    /// Passages that a hit may quote, in the format of the model layer.
    std::string passages = {};
};

/// Codes that no job should end with are `internal`.
[[nodiscard]] job_error_code job_error_code_of(errc code) noexcept;

struct retry_policy {
    int attempts_max = 3;                        ///< Upper bound on attempts, 1 or more.
    seconds_f base{10.0};                        ///< Before the second attempt; doubled each time.
    seconds_f video_seconds_max{90.0};           ///< Named in the text of `video_too_long`.
    std::int64_t video_bytes_max = 104'857'600;  ///< Named in that of a video that is too large.
    /// Upper bound on consecutive snoozes because the platform or a model's provider is
    /// rate-limiting this server. The job then fails, so that the client learns of it.
    seconds_f cooldown_wait_max{3600.0};
    /// A shorter wait, as for a model that another job probes, may exceed that bound by as much.
    seconds_f cooldown_wait_min{120.0};
    /// Upper bound on consecutive snoozes because the database does not answer.
    seconds_f outage_wait_max{3600.0};
};

/// Returns the delay after `attempt`: base x 2^(attempt-1), times 0.75 to 1.25 for `jitter` from 0
/// to 1, so that jobs that failed together do not retry together. At most an hour.
[[nodiscard]] seconds_f retry_delay(int attempt, seconds_f base, double jitter) noexcept;

/// Why an attempt ended without a result. Stored for operators; not visible to clients.
struct attempt_failure {
    errc cause = errc::internal;
    std::string step = {};    ///< Step in which it ended; empty if unknown.
    std::string detail = {};  ///< Valid UTF-8, at most bounds::attempt_detail_bytes_max bytes.
};

/// Transitions of a job at the end of an attempt.
struct completed {
    std::string result;  ///< The five sections, validated, as JSON text.
    reel_brief brief = {};
    std::string post_key = {};      ///< Post and slide; empty if the result must not be reused.
    std::string analyzer = {};      ///< model::analyzer::name().
    std::string list_details = {};  ///< A JSON object of data that lists show.
    /// Time of the original analysis, for a copied result; empty for a new one.
    std::optional<time_point> analyzed_at = {};
    /// The model of this machine that was used, without cost; empty for none.
    std::string unpaid_model = {};
    search_entry search = {};
    /// Empty when none could be created.
    std::optional<reel_thumbnail> thumbnail = {};
    frame_set frames = {};
    std::optional<kept_video> video = {};  ///< Empty when it is not kept.
    /// One of them if the caller has given a schema, as in `job`.
    std::optional<std::string> extract = {};
    std::optional<std::string> extract_error = {};
};
struct failed {
    job_error_code code = job_error_code::internal;
    std::string text;  ///< For the user: no internal details. See failure_text.hpp.
    attempt_failure why = {};
    /// Time until another submission may succeed; 0: unknown.
    seconds_f retry_after{};
};
struct retried {
    seconds_f delay{};
    attempt_failure why = {};
};
/// Not begun, or stopped: pending again with its turn, no attempt spent.
struct released {};
/// Cannot continue before a certain time: pending again, no attempt spent.
struct snoozed {
    seconds_f delay{};
    bool is_cooldown = false;  ///< As in `snooze`.
};
/// Needs a permit of the platform: pending again, in the platform's line, no attempt spent.
struct awaiting_permit {
    std::string platform;  ///< Its host.
};
using transition = std::variant<completed, failed, retried, released, snoozed, awaiting_permit>;

/// Test links are not retried, because their outcome is fixed.
enum class retry_allowed : std::uint8_t { yes, no };

/// Decides after a failed attempt. `jitter` is in [0, 1]. Another attempt does not begin before
/// `not_before` has passed. Pure.
[[nodiscard]] transition after_failure(
    const claimed_job& job, const error& why, retry_allowed allowed, const retry_policy& policy,
    double jitter, seconds_f not_before = {});

/// Sets the step in which a failed attempt ended.
[[nodiscard]] transition at_step(transition ended, std::string_view step);

/// Decides after an attempt without an answer of the database: snoozes the job as after one
/// failure, without an attempt spent, up to the bound of the policy. Pure.
[[nodiscard]] transition after_outage(
    const claimed_job& job, const error& why, time_point now, const retry_policy& policy,
    double jitter);

/// Why and for how long a job must wait.
struct snooze {
    seconds_f wait{};
    /// Rate-limited by the platform or a provider, not by our own pace.
    bool is_cooldown = false;
    errc of = errc::platform_rate_limited;  ///< The error when it lasts too long.
};

/// Snoozes the job. In a cool-down longer than the policy allows, it fails instead. Pure.
[[nodiscard]] transition after_snooze(
    const claimed_job& job, const snooze& until, time_point now, const retry_policy& policy);

/// "done", the error code's name, "retry", "snoozed" or "released".
[[nodiscard]] std::string_view outcome_name(const transition& ended) noexcept;

}  // namespace reelsd::jobs
