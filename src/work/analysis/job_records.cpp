#include <reelsd/domain/loop_call.hpp>
#include <reelsd/work/analysis/job_records.hpp>

#include <utility>

namespace reelsd::work {

result<std::optional<jobs::earlier_analysis>> job_records::find_earlier_analysis(
    const jobs::claimed_job& job, const std::string& post_key, const std::string& analyzer,
    deadline by) {
    return wait_for(loop_, store_.find_earlier_analysis(job.account, post_key, analyzer, by), by);
}

result<jobs::post_start> job_records::begin_post(
    const jobs::claimed_job& job, const std::string& post_key, const std::string& analyzer,
    deadline by) {
    return wait_for(loop_, store_.begin_post(job, post_key, analyzer, by), by);
}

result<std::optional<std::string>> job_records::find_shared_post(
    const jobs::claimed_job& job, deadline by) {
    return wait_for(loop_, store_.find_shared_post(job.id, by), by);
}

result<void> job_records::keep_shared_post(
    const jobs::claimed_job& job, std::string post_url, deadline by) {
    return wait_for(loop_, store_.keep_shared_post(job.id, std::move(post_url), by), by);
}

}  // namespace reelsd::work
