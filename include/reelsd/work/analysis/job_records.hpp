#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <optional>
#include <string>

namespace reelsd::work {

/// The way of worker threads to the database: blocking calls that are carried out on the loop.
/// Safe from any thread but the loop's, which would wait for itself.
class job_records {
public:
    /// The loop runs, and the store's pool lives, for as long as a worker may call. Outlives what
    /// it has put on the loop.
    job_records(boost::asio::any_io_executor loop, jobs::job_store store)
        : loop_{std::move(loop)}, store_{store} {}

    /// The latest result that `analyzer` made of this post for the job's account within a day.
    /// Errors: database_unavailable, also when no answer is had before `by`; internal.
    [[nodiscard]] result<std::optional<jobs::earlier_analysis>> find_earlier_analysis(
        const jobs::claimed_job& job, const std::string& post_key, const std::string& analyzer,
        deadline by);

    /// As job_store::begin_post(). Errors: as above.
    [[nodiscard]] result<jobs::post_start> begin_post(
        const jobs::claimed_job& job, const std::string& post_key, const std::string& analyzer,
        deadline by);

    /// The post that the job's share link leads to, once an attempt has found it. Errors: as above.
    [[nodiscard]] result<std::optional<std::string>> find_shared_post(
        const jobs::claimed_job& job, deadline by);
    [[nodiscard]] result<void> keep_shared_post(
        const jobs::claimed_job& job, std::string post_url, deadline by);

private:
    boost::asio::any_io_executor loop_;
    jobs::job_store store_;
};

}  // namespace reelsd::work
