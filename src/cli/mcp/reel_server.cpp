#include "reel_server.hpp"

#include "../page.hpp"

#include <algorithm>

namespace reelsd::cli::mcp {
namespace {

/// Some clients give up on a call that they have not heard of for a minute.
constexpr std::chrono::seconds silence_max{10};

}  // namespace

job_progress progress_of(std::int64_t id, const json& job) {
    return {.id = id, .status = text_of(job, "status").value_or("in work")};
}

result<api_answer> api_reel_server::submit(const submission& wanted, const std::stop_token& stop) {
    return api_.submit(wanted, stop);
}

result<api_answer> api_reel_server::submit_file(
    const std::filesystem::path& file, const submission& wanted, const std::stop_token& stop) {
    return api_.submit_file(
        file, wanted, [](std::uint64_t, std::uint64_t) {}, stop);
}

result<api_answer> api_reel_server::await(const job_wait& wanted, const std::stop_token& stop) {
    const auto by = deadline::after(wanted.at_most);
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(by.remaining());
        auto job =
            await_job(api_, wanted.id, std::min(left, silence_max), stop, wanted.on_progress);
        if (!job || has_ended(job->document) || by.passed()) return job;
        wanted.on_progress(progress_of(wanted.id, job->document));
    }
}

result<reel_page> api_reel_server::list(const list_query& wanted, const std::stop_token& stop) {
    return api_.list(wanted, stop);
}

result<api_answer> api_reel_server::search(
    const std::string& words, std::optional<int> limit, const std::stop_token& stop) {
    return api_.search(words, limit, stop);
}

result<api_answer> api_reel_server::usage(const usage_query& wanted, const std::stop_token& stop) {
    return api_.usage(wanted, stop);
}

}  // namespace reelsd::cli::mcp
