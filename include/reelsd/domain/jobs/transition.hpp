#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reelsd::jobs {

/// What a search finds a reel by; written together with its result. Plain data: the layer of models
/// makes it and reads its passages, the database keeps it.
struct search_entry {
    /// Texts whose words count less and less; at most 4. Without NUL characters.
    std::vector<std::string> words = {};
    /// The embedder's sparse vector, component by component: as many ids as weights (above 0).
    std::vector<std::int32_t> concepts = {};
    std::vector<double> concept_weights = {};
    /// What a hit may quote: text that only the layer of models can read.
    std::string passages = {};
};

/// What an attempt's error means for its job.
enum class disposition : std::uint8_t {
    give_up,  ///< Another attempt would end the same way.
    retry,    ///< The world may be better later; counts as an attempt.
    release,  ///< At shutdown or after a lost lease: pending again at once, no attempt spent.
};

/// The one home of this mapping.
[[nodiscard]] disposition disposition_of(errc code) noexcept;
/// The one home of this mapping. Total: a code that no job should end with is `internal`.
[[nodiscard]] job_error_code job_error_code_of(errc code) noexcept;

struct retry_policy {
    int attempts_max = 3;                      ///< In all, 1 or more.
    std::chrono::duration<double> base{10.0};  ///< Before the second attempt; doubled each time.
    std::chrono::duration<double> video_seconds_max{
        90.0};                                   ///< Named in the text of `video_too_long`.
    std::int64_t video_bytes_max = 104'857'600;  ///< Named in that of a video that is too large.
    /// How long a job may be put off because the platform or a model's provider asks to be left
    /// alone, from the first time in a row on: a client is told sooner rather than later.
    std::chrono::duration<double> cooldown_wait_max{3600.0};
    /// A shorter wait ends no job.
    std::chrono::duration<double> cooldown_wait_min{120.0};
    /// How long a job may be put off without an attempt being spent because the database does not
    /// answer, from the first time in a row on.
    std::chrono::duration<double> outage_wait_max{3600.0};
};

/// The wait before the attempt after `attempt`: base x 2^(attempt-1), times 0.75 to 1.25 as
/// `jitter` goes from 0 to 1, so that jobs that failed together do not come back together. At most
/// an hour.
[[nodiscard]] std::chrono::duration<double> retry_delay(
    int attempt, std::chrono::duration<double> base, double jitter) noexcept;

/// Why an attempt ended without a result. Stored with the job for operators; no client sees it.
struct attempt_failure {
    errc cause = errc::internal;
    std::string step = {};    ///< In which it ended; empty if it is not known.
    std::string detail = {};  ///< Valid UTF-8, at most bounds::attempt_detail_bytes_max bytes.
};

/// How an attempt leaves its job.
struct completed {
    std::string result;  ///< The five sections, validated, as JSON text.
    reel_brief brief = {};
    std::string post_key =
        {};  ///< Which post and slide; empty when it must not stand for another job.
    std::string analyzer = {};  ///< Whose analysis it is: model::analyzer::name().
    /// Of a copied result, when that was made; nothing for an analysis made just now.
    std::optional<time_point> analyzed_at = {};
    /// The model that this machine itself ran, without cost, to be counted; empty for none.
    std::string unpaid_model = {};
    search_entry search = {};
    /// Stored with the reel; nothing when none could be made.
    std::optional<reel_thumbnail> thumbnail = {};
};
struct failed {
    job_error_code code = job_error_code::internal;
    std::string text;  ///< For people; starts as the contract says; holds no detail of ours.
    attempt_failure why = {};
    /// How long another submission would fail as well; 0: not known.
    std::chrono::duration<double> retry_after{};
};
struct retried {
    std::chrono::duration<double> delay{};
    attempt_failure why = {};
};
/// Not begun, or stopped: pending again, at its old place, no attempt spent.
struct released {};
/// Cannot go on before a certain time: pending again, no attempt spent.
struct snoozed {
    std::chrono::duration<double> delay{};
    bool is_cooldown = false;  ///< As in `snooze`.
};
/// Needs a permit to ask the platform: pending again, in the platform's line, no attempt spent.
struct awaiting_permit {
    std::string platform;  ///< Its host.
};
using transition = std::variant<completed, failed, retried, released, snoozed, awaiting_permit>;

/// Whether an attempt's failure may be tried again at all: a test link's outcome is fixed.
enum class retry_allowed : std::uint8_t { yes, no };

/// Pure: no clock, no database, no dice (`jitter` in [0, 1] is the caller's). Another attempt
/// begins no earlier than after `not_before`.
[[nodiscard]] transition after_failure(
    const claimed_job& job, const error& why, retry_allowed allowed, const retry_policy& policy,
    double jitter, std::chrono::duration<double> not_before = {});

/// The same end, with the step in which the attempt has failed, if it has.
[[nodiscard]] transition at_step(transition ended, std::string_view step);

/// What becomes of a job whose attempt asked the database and had no answer: it is put off as if it
/// had failed once, and no attempt is spent; beyond what the policy allows, it has failed. Pure.
[[nodiscard]] transition after_outage(
    const claimed_job& job, const error& why, time_point now, const retry_policy& policy,
    double jitter);

/// Why and for how long a job's next step may not be taken.
struct snooze {
    std::chrono::duration<double> wait{};
    /// Because somebody asks to be left alone, not for our own pace.
    bool is_cooldown = false;
    errc of = errc::platform_rate_limited;  ///< What it is when it lasts too long.
};

/// What a client reads of a job that ended because a cool-down takes too long: `of` as in
/// `snooze`, and how many minutes are left.
[[nodiscard]] std::string cooldown_text(errc of, std::string_view minutes);

/// Text of a failure on an installation that the platform has never answered. It names other ways
/// to a result, because waiting may not help. Empty for causes that do not come from the platform.
[[nodiscard]] std::string unanswered_text(errc of);

/// What becomes of such a job: in a cool-down it is put off no longer than the policy allows, and
/// fails instead. Pure.
[[nodiscard]] transition after_snooze(
    const claimed_job& job, const snooze& until, time_point now, const retry_policy& policy);

/// What a client reads of a job that failed so: the cause, and what can be done. Begins as contract
/// section 4 says for job_error_code_of(why).
[[nodiscard]] std::string error_text(const error& why, const retry_policy& policy);

/// "done", the error code's name, "retry", "postponed" or "handed back".
[[nodiscard]] std::string_view outcome_name(const transition& ended) noexcept;

}  // namespace reelsd::jobs
