#include "job_wait.hpp"

#include "page.hpp"
#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// The first looks are short, so that the shown status is fresh while a quick job runs; later ones
/// spare the server.
constexpr auto look_first = 1s;
constexpr auto look_max = 8s;
/// Between two looks at least so much time passes, even if a server does not hold its answers.
constexpr auto look_interval_min = 1s;

/// Streams in a row that break without an event. More is no accident.
constexpr int breaks_max = 5;
/// Between a break and the next stream, whatever the server wishes.
constexpr std::chrono::milliseconds retry_default{2000};
constexpr std::chrono::milliseconds retry_max{10'000};

bool is_end(std::string_view status) noexcept {
    return status == "done" || status == "error";
}

using progress_listener = std::function<void(const job_progress&)>;

/// Asks until the job has ended or `by` has passed.
result<api_answer> polled(
    const api_client& api, std::int64_t id, deadline by, const std::stop_token& stop,
    const progress_listener& on_progress) {
    for (auto look = look_first;; look = std::min(look * 2, look_max)) {
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(by.remaining());
        const auto next_look = deadline::after(look_interval_min);
        auto job = api.job(id, std::clamp(left, 0s, look), stop);
        if (!job || has_ended(job->document)) return job;
        // The caller gets this state as the answer: progress right before it would say the same.
        if (by.passed()) return job;
        on_progress({.id = id, .status = text_of(job->document, "status").value_or("in work")});
        const auto rest =
            std::chrono::duration_cast<std::chrono::milliseconds>(next_look.remaining());
        if (!pause(std::min(rest, 1000ms), stop)) return error{errc::cancelled};
    }
}

/// What the events of a job have said so far.
class follower {
public:
    follower(std::int64_t id, const progress_listener& on_progress)
        : on_progress_{on_progress}, now_{.id = id, .status = {}} {}

    /// Whether more is wanted.
    bool take(const server_event& event) {
        has_told_ = true;
        auto document = parse_foreign_json(event.data);
        if (event.name == "finished") {
            if (document.is_object() && has_ended(document)) {
                finished_ = api_answer{.body = event.data, .document = std::move(document)};
            }
            return false;
        }
        if (event.name == "deleted") return false;
        if (!document.is_object()) return true;
        now_.status = text_of(document, "status").value_or("in work");
        now_.attempt = integer_of(document, "attempt").value_or(0);
        now_.step = text_of(document, "step").value_or("");
        on_progress_(now_);
        return true;
    }

    [[nodiscard]] bool take_told() noexcept { return std::exchange(has_told_, false); }
    [[nodiscard]] std::optional<api_answer>& finished() noexcept { return finished_; }

private:
    const progress_listener& on_progress_;
    job_progress now_;
    bool has_told_ = false;
    std::optional<api_answer> finished_;
};

/// The finished job; nothing when it has to be asked for, for whatever reason.
result<std::optional<api_answer>> followed(
    const api_client& api, std::int64_t id, deadline by, const std::stop_token& stop,
    const progress_listener& on_progress) {
    follower job{id, on_progress};
    std::string last_event_id;
    for (int breaks = 0; breaks < breaks_max && !by.passed();) {
        const auto end = api.events(
            id,
            last_event_id,
            by,
            [&job](const server_event& event) { return job.take(event); },
            stop);
        if (!end) return end.error();
        if (job.finished()) return std::move(job.finished());
        if (end->how != events_end::reason::broken) return std::optional<api_answer>{};
        breaks = job.take_told() ? 0 : breaks + 1;
        last_event_id = end->last_event_id;
        const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(by.remaining());
        const auto wish = std::clamp(end->retry.value_or(retry_default), 0ms, retry_max);
        if (!pause(std::min(wish, std::max(rest, 0ms)), stop)) return error{errc::cancelled};
    }
    return std::optional<api_answer>{};
}

}  // namespace

bool has_ended(const json& job) {
    const auto status = text_of(job, "status");
    return status && is_end(*status);
}

bool has_ended(const job_progress& now) noexcept {
    return is_end(now.status);
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
    auto job = followed(api, id, by, stop, on_progress);
    if (!job) return job.error();
    if (*job) return **std::move(job);
    return polled(api, id, by, stop, on_progress);
}

}  // namespace reelsd::cli
