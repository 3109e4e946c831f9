#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {

/// Limits of accounts without their own.
struct default_limits {
    int submissions_per_minute = 10;
    int concurrent_jobs = 3;
};

/// The position of a submission in a list of links, which share an Idempotency-Key. An upload
/// counts as a list of one.
struct list_element {
    std::string
        request_hash;  ///< Hash of the whole list or the uploaded file: 32 hexadecimal digits.
    std::int32_t position = 0;  ///< From 0.
};

/// A submission as requested by the caller.
struct submission {
    std::string url;
    bool fresh = false;
    bool costs_money = false;  ///< It may call a model that costs money.
    bool queue = false;        ///< It may wait beyond the account's concurrent jobs.
    /// The caller's Idempotency-Key. A second submission with it within 24 hours returns the
    /// existing job, or `key_of_another_link` if its link or list differs.
    std::optional<std::string> idempotency_key = {};
    std::optional<list_element> list = {};  ///< Empty for a single link.
    /// The complete file that is analysed in place of the link's video.
    std::optional<upload_id> upload = {};
    /// Webhook address of the job; empty: the account's default, if any.
    std::optional<std::string> webhook_url = {};
    /// Options of the analysis, as JSON text that the model layer has written; empty: none.
    std::string options = {};
};

struct callers_submission {
    account_id caller;
    submission request;
};

/// The decision on a submission, with the state of its rate limit.
struct submission_result {
    enum class outcome : std::uint8_t {
        accepted,
        repeated,             ///< The job of an earlier submission under the same key.
        key_of_another_link,  ///< The key was used with another request.
        rate_limited,
        too_many_jobs,
        too_many_uploads,  ///< Uploads in progress, see upload_store.
        queue_full,        ///< The limit of queued jobs is reached.
        budget_spent,      ///< The account's monthly budget is spent.
    };
    BOOST_DESCRIBE_NESTED_ENUM(
        outcome, accepted, repeated, key_of_another_link, rate_limited, too_many_jobs,
        too_many_uploads, queue_full, budget_spent)

    outcome decided = outcome::accepted;
    job_id job;                               ///< Set when accepted or repeated.
    job_status status = job_status::pending;  ///< Status of that job.
    int job_limit = 0;                        ///< Limit of concurrent jobs, queued jobs or uploads.
    int rate_limit = 0;                       ///< Submissions a minute.
    int rate_remaining = 0;                   ///< Submissions left now.
    int rate_reset = 0;                       ///< Seconds until the bucket is full.
    int retry_after = 0;                      ///< Seconds, when refused.
    /// In US dollars, an exact decimal; empty without a budget.
    std::optional<std::string> monthly_budget_usd = {};
};

BOOST_DESCRIBE_STRUCT(
    submission_result, (),
    (decided, job, status, job_limit, rate_limit, rate_remaining, rate_reset, retry_after,
     monthly_budget_usd))

/// Which of the caller's jobs to list.
struct job_filter {
    int jobs_max = 20;                      ///< 1 or more.
    std::optional<job_status> status = {};  ///< Only these.
    /// Only those of posts by this author, in any letter case. Therefore only done jobs.
    std::optional<std::string> author = {};
    std::optional<job_id> before = {};              ///< Only older ones: the end of the last page.
    std::optional<time_point> created_from = {};    ///< Only those created then or later.
    std::optional<time_point> created_before = {};  ///< Only those created earlier.
    /// Only the newest job of each post, with `earlier`. The other filters apply to that job.
    bool latest = false;
    std::optional<std::string> tag = {};  ///< Only those with it, in its stored form.
    /// Only jobs on the post of this job, itself included; the other filters do not apply.
    std::optional<job_id> post_of = {};
    bool details = false;  ///< Whether `job::details` are read.
};

struct job_page {
    std::vector<job> jobs;       ///< Newest first, with `brief` in place of `result`.
    std::optional<job_id> next;  ///< `before` of the next page; empty on the last one.
};

struct exported_job {
    job reel;
    std::string more;  ///< Data that GET does not show: a JSON object.
};

/// Upper bound of counts of the queue, which each scrape of metrics takes.
inline constexpr std::int64_t queue_counted_max = 10'000;

/// The state of the queue of all daemons, for metrics. No count exceeds `queue_counted_max`, except
/// `pending`, which is estimated beyond it.
struct queue_state {
    std::int64_t pending = 0;  ///< Includes those that wait for a later attempt.
    std::int64_t due = 0;      ///< Claimable now.
    std::int64_t processing = 0;
    seconds_f oldest_due{0.0};  ///< Age of the oldest due job.
};

enum class post_start : std::uint8_t { begun, at_work_elsewhere };

/// Jobs as clients submit, read and delete them, and as executors read them. Each operation is one
/// atomic statement.
/// Thread: the loop's.
class job_store : public db::store {
public:
    using db::store::store;

    /// Accepts or refuses. An accepted job is durable when this returns.
    awaitable<submission_result> submit(
        account_id caller, submission request, default_limits defaults, deadline by);

    /// Submits several, in their order, in one transaction. Returns no decision for an account
    /// whose row is locked, so that the others do not wait for it. Submissions of a single account
    /// do wait.
    awaitable<std::vector<std::optional<submission_result>>> submit_all(
        const std::vector<callers_submission>& submissions, default_limits defaults, deadline by);

    /// The caller's own job; empty for an unknown or another account's id.
    awaitable<std::optional<job>> find(account_id caller, job_id id, deadline by);

    /// The jobs of `ids` that exist and that this program can read, of any account.
    awaitable<std::map<job_id, job>> find_all(std::vector<job_id> ids, deadline by);

    /// The highest id of a job; 0 if there is none.
    awaitable<job_id> last_id(deadline by);

    /// Up to `jobs_max` of the owner's jobs after `after` and up to `last`, by id.
    awaitable<std::vector<exported_job>> export_page(
        account_id owner, job_id after, job_id last, int jobs_max, deadline by);

    /// Throws if submissions cannot be decided. Changes nothing.
    awaitable<void> check_submissions(deadline by);
    /// Throws if new rows cannot be stored, for example on a full disk. Leaves none behind.
    awaitable<void> check_storage(deadline by);

    /// The thumbnail (a JPEG) of the caller's own job; empty for an unknown or another account's
    /// id, and without a thumbnail. Falls back to the large one.
    awaitable<std::optional<std::vector<std::byte>>> find_thumbnail(
        account_id caller, job_id id, thumbnail_size size, deadline by);

    /// A page of the caller's jobs; stable while others are added or deleted.
    awaitable<job_page> list(account_id caller, job_filter filter, deadline by);

    /// Deletes the caller's job and its dependents. False for an unknown or another account's id.
    awaitable<bool> remove(account_id caller, job_id id, deadline by);

    /// Deletes up to `jobs_max` of the caller's failed jobs. Returns how many were deleted.
    awaitable<std::int64_t> remove_failed(account_id caller, int jobs_max, deadline by);

    /// The latest result for this post and account within a day, with its thumbnail: that of the
    /// first of `analyzers` that has one.
    awaitable<std::optional<earlier_analysis>> find_earlier_analysis(
        account_id caller, std::string post_key, std::vector<std::string> analyzers, deadline by);

    /// The link of the post behind the job's share link, if keep_shared_post() has stored it.
    awaitable<std::optional<std::string>> find_shared_post(job_id id, deadline by);
    awaitable<void> keep_shared_post(job_id id, std::string post_url, deadline by);

    /// Marks `job` as the one that analyses the post. Returns `at_work_elsewhere` when another job
    /// of the account is analysing it with the same analyzer, unless `job` is fresh.
    awaitable<post_start> begin_post(
        const claimed_job& job, std::string post_key, std::string analyzer, deadline by);

    awaitable<queue_state> look_at_queue(deadline by);
};

}  // namespace reelsd::jobs
