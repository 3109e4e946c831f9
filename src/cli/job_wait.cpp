#include "api_client.hpp"
#include "text.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// The first polls are short, so that the status of a quick job is current; later ones spare it.
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

/// Follows the events of the job. Returns the finished job; empty if it has to be polled.
result<std::optional<api_answer>> followed(
    const api_client& api, std::int64_t id, deadline by, const std::stop_token& stop,
    const progress_listener& on_progress) {
    std::optional<api_answer> finished;
    std::string last_event_id;
    bool has_event = false;
    // Returns false after the last event.
    const auto take = [&](const server_event& event) {
        has_event = true;
        auto document = parse_foreign_json(event.data);
        if (event.name == "finished" && has_ended(document))
            finished = api_answer{.body = event.data, .document = std::move(document)};
        if (event.name == "finished" || event.name == "deleted") return false;
        if (document.is_object()) on_progress(progress_of(id, document));
        return true;
    };
    for (int breaks = 0; breaks < breaks_max && !by.passed();) {
        const auto end = api.events(id, last_event_id, by, take, stop);
        if (!end) return end.error();
        if (finished || end->how != events_end::reason::broken) return finished;
        breaks = std::exchange(has_event, false) ? 0 : breaks + 1;
        last_event_id = end->last_event_id;
        const deadline::clock::duration delay =
            std::clamp(end->retry.value_or(retry_default), 0ms, retry_max);
        if (!stoppable_sleep(std::min(delay, by.remaining()), stop)) return error{errc::cancelled};
    }
    return finished;
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
    text = one_line(text);
    return state.id == 0 ? text : fmt::format("reel {}: {}", state.id, text);
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

result<api_answer> api_client::await(const job_wait& wait, const std::stop_token& stop) const {
    // Some clients abandon a call without progress after a minute.
    constexpr std::chrono::seconds silence_max{10};
    const auto by = deadline::after(wait.at_most);
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(by.remaining());
        auto job = await_job(*this, wait.id, std::min(left, silence_max), stop, wait.on_progress);
        if (!job || has_ended(job->document) || by.passed()) return job;
        wait.on_progress(progress_of(wait.id, job->document));
    }
}

}  // namespace reelsd::cli
