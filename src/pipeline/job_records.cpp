#include <reelsd/domain/loop_call.hpp>
#include <reelsd/pipeline/job_records.hpp>

namespace reelsd::pipeline {

result<std::optional<jobs::earlier_analysis>> job_records::find_earlier_analysis(
    const jobs::claimed_job& job, const std::string& post_key, const std::string& analyzer,
    deadline by) {
    return wait_for(loop_, store_.find_earlier_analysis(job.account, post_key, analyzer, by), by);
}

}  // namespace reelsd::pipeline
