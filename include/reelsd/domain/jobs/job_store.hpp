#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::jobs {

/// What holds for an account that has no limit of its own.
struct default_limits {
    int submissions_per_minute = 10;
    int concurrent_jobs = 3;
};

/// The list that a submission belongs to, and its place there. All links of a list have the
/// caller's key. An upload counts as a list of one.
struct list_element {
    std::string request_hash;   ///< Of the whole list or the uploaded file: 32 hexadecimal digits.
    std::int32_t position = 0;  ///< From 0.
};

/// A submission as the caller asks for it.
struct submission {
    std::string url;
    bool fresh = false;
    bool costs_money = false;  ///< It may ask a model that costs money.
    bool queue = false;        ///< It may wait beyond the account's concurrent jobs.
    /// The caller's Idempotency-Key: a second submission under it, within 24 hours and while the
    /// job exists, gets the first one's job. With another link or list, it gets
    /// `key_of_another_link`.
    std::optional<std::string> idempotency_key = {};
    std::optional<list_element> list = {};  ///< Nothing for a single link.
    /// The file that is analysed in place of what the link leads to; it must be whole.
    std::optional<upload_id> upload = {};
    /// Where the job's end is told; nothing: at the account's default, if it has one.
    std::optional<std::string> webhook_url = {};
};

/// One of several submissions that come at the same moment.
struct callers_submission {
    account_id caller;
    submission wanted;
};

/// The answer to a submission. The bucket's state goes into the RateLimit headers of 202 and 429
/// alike.
struct submission_result {
    enum class outcome : std::uint8_t {
        accepted,
        repeated,             ///< The job of an earlier submission under the same key.
        key_of_another_link,  ///< The key was used with another link or list.
        rate_limited,
        too_many_jobs,
        too_many_uploads,  ///< In progress, see upload_store.
        queue_full,        ///< As many jobs wait beyond the concurrent ones as may.
        budget_spent,      ///< The account's, of this month.
    };

    outcome decided = outcome::accepted;
    job_id job;                               ///< Set when admitted or repeated.
    job_status status = job_status::pending;  ///< Of that job.
    int job_limit = 0;                        ///< Jobs at the same time, or waiting ones.
    int rate_limit = 0;                       ///< Submissions a minute.
    int rate_remaining = 0;                   ///< Submissions left now.
    int rate_reset = 0;                       ///< Seconds until the bucket is full.
    int retry_after = 0;                      ///< Seconds; when refused.
    /// US dollars, an exact decimal; nothing when the account has none.
    std::optional<std::string> monthly_budget_usd = {};
};

/// Which of the caller's jobs to list.
struct job_filter {
    int jobs_max = 20;                      ///< 1 or more.
    std::optional<job_status> status = {};  ///< Only these.
    /// Only those of posts by this author, letter case apart. Done ones, therefore: of others
    /// nobody knows.
    std::optional<std::string> author = {};
    std::optional<job_id> before = {};  ///< Only older ones: where the last page ended.
    /// Only the newest job of each post, with `earlier`. The other filters apply to that job.
    bool latest = false;
    /// Only jobs on the post of this job, itself included; the other filters do not apply.
    std::optional<job_id> post_of = {};
};

struct job_page {
    std::vector<job> jobs;       ///< Newest first, with `brief` in place of `result`.
    std::optional<job_id> next;  ///< `before` of the next page; nothing on the last one.
};

/// A job as an account's export has it.
struct exported_job {
    job reel;
    std::string more;  ///< What it has beyond what GET shows: a JSON object.
};

/// The queue is counted this far, which takes some milliseconds: each scrape of metrics counts it.
inline constexpr std::int64_t queue_counted_max = 10'000;

/// What operators watch, over all daemons. No count exceeds `queue_counted_max`, except for
/// `pending`, which is estimated beyond it.
struct queue_state {
    std::int64_t pending = 0;  ///< Waiting, also for a later attempt.
    std::int64_t due = 0;      ///< Of these, the ones that a worker could take now.
    std::int64_t processing = 0;
    seconds_f oldest_due{0.0};  ///< For how long the one that is due longest has been.
};

enum class post_start : std::uint8_t { begun, at_work_elsewhere };

/// Jobs as clients submit, read and delete them, and as executors read them. Each operation is one
/// statement and therefore atomic; all throw as those of job_queue do. A cheap value around the
/// pool, which must outlive it. On the loop's thread.
class job_store {
public:
    explicit job_store(db::pool& pool) : pool_{&pool} {}

    /// Admits or refuses; when admitted, the job is durable by the time this returns.
    boost::asio::awaitable<submission_result> submit(
        account_id caller, submission wanted, default_limits defaults, deadline by);

    /// The same for several, in their order: all that are admitted are durable together. Nothing
    /// for those of an account at whose row somebody else is: the others do not wait for it. Those
    /// of one account alone do wait, and always have an answer.
    boost::asio::awaitable<std::vector<std::optional<submission_result>>> submit_all(
        const std::vector<callers_submission>& wanted, default_limits defaults, deadline by);

    /// The caller's own job; nothing for an unknown or another account's id.
    boost::asio::awaitable<std::optional<job>> find(account_id caller, job_id id, deadline by);

    /// Those of `wanted` that are there and that this program can read, whosever they are.
    boost::asio::awaitable<std::map<job_id, job>> find_all(std::vector<job_id> wanted, deadline by);

    /// The highest id that a job has; 0 if there is none.
    boost::asio::awaitable<job_id> last_id(deadline by);

    /// Up to `jobs_max` of the owner's jobs behind `after` and up to `last`, by id.
    boost::asio::awaitable<std::vector<exported_job>> export_page(
        account_id owner, job_id after, job_id last, int jobs_max, deadline by);

    /// Returns if submissions can be decided. Changes nothing.
    boost::asio::awaitable<void> check_submissions(deadline by);
    /// Returns if new rows can be stored, which a full disk refuses. Leaves none behind.
    boost::asio::awaitable<void> check_storage(deadline by);

    /// The thumbnail (a JPEG) of the caller's own job; nothing for an unknown or another account's
    /// id, and for a job that has none. One without a small one has the large one in its place.
    boost::asio::awaitable<std::optional<std::vector<std::byte>>> find_thumbnail(
        account_id caller, job_id id, thumbnail_size wanted, deadline by);

    /// A page of the caller's jobs. Stable: pages neither repeat nor leave out a job while others
    /// are added or deleted.
    boost::asio::awaitable<job_page> list(account_id caller, job_filter wanted, deadline by);

    /// Deletes the caller's job and everything that hangs on it. False for an unknown or another
    /// account's id.
    boost::asio::awaitable<bool> remove(account_id caller, job_id id, deadline by);

    /// Deletes up to `jobs_max` of the caller's failed jobs. Returns how many were deleted.
    boost::asio::awaitable<std::int64_t> remove_failed(
        account_id caller, int jobs_max, deadline by);

    /// The latest result that `analyzer` made of this post for this account within a day, with its
    /// thumbnail.
    boost::asio::awaitable<std::optional<earlier_analysis>> find_earlier_analysis(
        account_id caller, std::string post_key, std::string analyzer, deadline by);

    /// The link of the post that the job's share link leads to, if keep_shared_post() has stored
    /// it.
    boost::asio::awaitable<std::optional<std::string>> find_shared_post(job_id id, deadline by);
    boost::asio::awaitable<void> keep_shared_post(job_id id, std::string post_url, deadline by);

    /// Marks `job` as the one that analyses the post; `at_work_elsewhere` when another job of the
    /// account is at the same post with the same analyzer, unless `job` is fresh.
    boost::asio::awaitable<post_start> begin_post(
        const claimed_job& job, std::string post_key, std::string analyzer, deadline by);

    boost::asio::awaitable<queue_state> look_at_queue(deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::jobs
