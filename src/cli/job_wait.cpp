#include "job_wait.hpp"

#include "page.hpp"
#include <reelsd/cli/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// The first looks are short, so that the shown status is fresh while a quick job runs; later ones
/// spare the server.
constexpr auto look_first = 1s;
constexpr auto look_max = 8s;
/// Between two looks at least so much time passes, even if a server does not hold its answers.
constexpr auto look_interval_min = 1s;

}  // namespace

bool has_ended(const json& job) {
    const auto status = text_of(job, "status");
    return status == "done" || status == "error";
}

std::string progress_text(const job_progress& now) {
    std::string details = now.step;
    if (now.attempt > 1) {
        details += fmt::format("{}attempt {}", details.empty() ? "" : ", ", now.attempt);
    }
    const auto text = details.empty() ? now.status : fmt::format("{} ({})", now.status, details);
    return fmt::format("reel {}: {}", now.id, printable(text, line_breaks::to_blank));
}

result<api_answer> await_job(
    const api_client& api, std::int64_t id, std::chrono::seconds at_most,
    const std::stop_token& stop, const std::function<void(const job_progress&)>& on_progress) {
    const auto by = deadline::after(at_most);
    for (auto look = look_first;; look = std::min(look * 2, look_max)) {
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(by.remaining());
        const auto next_look = deadline::after(look_interval_min);
        auto job = api.job(id, std::min(look, left), stop);
        if (!job || has_ended(job->document)) return job;
        on_progress({.id = id, .status = text_of(job->document, "status").value_or("in work")});
        if (by.passed()) return job;
        const auto rest =
            std::chrono::duration_cast<std::chrono::milliseconds>(next_look.remaining());
        if (!pause(std::min(rest, 1000ms), stop)) return error{errc::cancelled};
    }
}

}  // namespace reelsd::cli
