#include "job_wait.hpp"

#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/sleep.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// The first polls are short, so that the status of a quick job is current; later ones spare the
/// server.
constexpr auto poll_first = 1s;
constexpr auto poll_max = 8s;
/// Minimum time from one poll to the next, for servers that answer at once.
constexpr auto poll_interval_min = 1s;

/// Consecutive streams that break without an event before polling begins.
constexpr int breaks_max = 5;
/// Delay before a stream is resumed; the server may set it up to the maximum.
constexpr std::chrono::milliseconds retry_default{2000};
constexpr std::chrono::milliseconds retry_max{10'000};

bool is_end(std::string_view status) noexcept {
    return status == "done" || status == "error";
}

using progress_listener = std::function<void(const job_progress&)>;

/// Polls until the job has ended or `by` has passed.
result<api_answer> polled(
    const api_client& api, std::int64_t id, deadline by, const std::stop_token& stop,
    const progress_listener& on_progress) {
    for (auto wait = poll_first;; wait = std::min(wait * 2, poll_max)) {
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(by.remaining());
        const auto next_poll = deadline::after(poll_interval_min);
        auto job = api.job(id, std::clamp(left, 0s, wait), stop);
        if (!job || has_ended(job->document)) return job;
        // The caller receives this state as the answer, so it is not reported as progress.
        if (by.passed()) return job;
        on_progress(progress_of(id, job->document));
        if (!stoppable_sleep(next_poll.remaining(), stop)) return error{errc::cancelled};
    }
}

/// Collects the events of a job.
class follower {
public:
    follower(std::int64_t id, const progress_listener& on_progress)
        : id_{id}, on_progress_{on_progress} {}

    /// Returns false after the last event.
    bool take(const server_event& event) {
        has_event_ = true;
        auto document = parse_foreign_json(event.data);
        if (event.name == "finished") {
            if (has_ended(document)) {
                finished_ = api_answer{.body = event.data, .document = std::move(document)};
            }
            return false;
        }
        if (event.name == "deleted") return false;
        if (document.is_object()) on_progress_(progress_of(id_, document));
        return true;
    }

    /// Whether an event has come since the last call.
    [[nodiscard]] bool take_has_event() noexcept { return std::exchange(has_event_, false); }
    [[nodiscard]] std::optional<api_answer>& finished() noexcept { return finished_; }

private:
    std::int64_t id_;
    const progress_listener& on_progress_;
    bool has_event_ = false;
    std::optional<api_answer> finished_;
};

/// The finished job; empty if it has to be polled.
result<std::optional<api_answer>> followed(
    const api_client& api, std::int64_t id, deadline by, const std::stop_token& stop,
    const progress_listener& on_progress) {
    follower job{id, on_progress};
    std::string last_event_id;
    for (int breaks = 0; breaks < breaks_max && !by.passed();) {
        const auto take = [&job](const server_event& event) { return job.take(event); };
        const auto end = api.events(id, last_event_id, by, take, stop);
        if (!end) return end.error();
        if (job.finished()) return std::move(job.finished());
        if (end->how != events_end::reason::broken) return std::optional<api_answer>{};
        breaks = job.take_has_event() ? 0 : breaks + 1;
        last_event_id = end->last_event_id;
        const deadline::clock::duration delay =
            std::clamp(end->retry.value_or(retry_default), 0ms, retry_max);
        if (!stoppable_sleep(std::min(delay, by.remaining()), stop)) return error{errc::cancelled};
    }
    return std::optional<api_answer>{};
}

}  // namespace

bool has_ended(const json& job) {
    const auto status = text_of(job, "status");
    return status && is_end(*status);
}

bool has_ended(const job_progress& state) noexcept {
    return is_end(state.status);
}

job_progress progress_of(std::int64_t id, const json& job) {
    return {
        .id = id,
        .status = text_of(job, "status").value_or("processing"),
        .attempt = integer_of(job, "attempt").value_or(0),
        .step = text_of(job, "step").value_or("")};
}

std::string progress_text(const job_progress& state) {
    std::string details = state.step;
    if (state.attempt > 1) {
        details += fmt::format("{}attempt {}", details.empty() ? "" : ", ", state.attempt);
    }
    auto text = details.empty() ? state.status : fmt::format("{} ({})", state.status, details);
    return fmt::format("reel {}: {}", state.id, printable(text, line_breaks::to_blank));
}

result<api_answer> await_job(
    const api_client& api, std::int64_t id, std::chrono::seconds at_most,
    const std::stop_token& stop, const std::function<void(const job_progress&)>& on_progress) {
    const auto by = deadline::after(at_most);
    auto job = followed(api, id, by, stop, on_progress);
    if (!job) return job.error();
    if (*job) return **std::move(job);
    return polled(api, id, by, stop, on_progress);
}

}  // namespace reelsd::cli
