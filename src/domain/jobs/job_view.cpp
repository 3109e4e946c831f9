#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/job_view.hpp>

namespace reelsd::jobs {

std::string job_view(const job& job) {
    json view{
        {"id", job.id.value},
        {"url", job.url},
        {"status", name_of(job.status)},
        {"created_at", to_rfc3339(job.created_at)}};
    if (job.started_at) view["started_at"] = to_rfc3339(*job.started_at);
    if (job.finished_at) view["finished_at"] = to_rfc3339(*job.finished_at);
    if (job.error_code) {
        view["error_code"] = name_of(*job.error_code);
        view["error"] = job.error;
    }
    if (job.brief) {
        view["summary"] = job.brief->summary;
        view["code"] = job.brief->code;
        view["author"] = job.brief->author;
    }
    auto text = view.dump(-1, ' ', false, json::error_handler_t::replace);
    if (job.result) {
        text.pop_back();  // The closing brace.
        text.append(R"(,"result":)").append(*job.result).append("}");
    }
    return text;
}

}  // namespace reelsd::jobs
