#include "job_output.hpp"

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

enum class job_state : std::uint8_t { in_work, done, failed };

job_state state_of(const json& job) {
    const auto status = text_of(job, "status");
    if (status == "done") return job_state::done;
    if (status == "error") return job_state::failed;
    return job_state::in_work;
}

/// The finished job, or the last look at it when `at_most` has passed.
result<api_answer> watched(
    const command_context& context, std::int64_t id, std::chrono::seconds at_most) {
    const auto by = deadline::after(at_most);
    for (auto look = look_first;; look = std::min(look * 2, look_max)) {
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(by.remaining());
        const auto next_look = deadline::after(look_interval_min);
        auto job = context.api.job(id, std::min(look, left), context.stop);
        if (!job || state_of(job->document) != job_state::in_work) return job;
        const auto status = text_of(job->document, "status").value_or("in work");
        context.shown.show(
            fmt::format("reel {}: {}", id, printable(status, line_breaks::to_blank)));
        if (by.passed()) return job;
        const auto rest =
            std::chrono::duration_cast<std::chrono::milliseconds>(next_look.remaining());
        if (!pause(std::min(rest, 1000ms), context.stop)) return error{errc::cancelled};
    }
}

void say_how_to_get(const command_context& context, std::int64_t id, std::string_view why) {
    context.shown.finish();
    context.shown.note(fmt::format("{} The reel stays in work on the server.", why));
    context.shown.note(fmt::format("See it later with: reels get {}", id));
}

}  // namespace

exit_code print_job(const command_context& context, const api_answer& job, output_form form) {
    if (form == output_form::json) {
        print_json(context, job.body);
    } else {
        print(context, render_job(job.document, context.page));
    }
    return state_of(job.document) == job_state::failed ? exit_code::job_failed : exit_code::ok;
}

exit_code wait_and_print_job(
    const command_context& context, std::int64_t id, std::chrono::seconds at_most,
    output_form form) {
    const auto job = watched(context, id, at_most);
    if (job && state_of(job->document) != job_state::in_work) {
        return print_job(context, *job, form);
    }
    if (job) {
        const auto waited = duration_text(static_cast<double>(at_most.count()));
        say_how_to_get(context, id, fmt::format("Not finished after {}.", waited));
        return exit_code::unfinished;
    }
    if (job.error().code() == errc::cancelled) {
        say_how_to_get(context, id, "Stopped waiting.");
        return exit_code::interrupted;
    }
    const auto code = report(context, job.error());
    if (code == exit_code::server_failed) say_how_to_get(context, id, "Stopped waiting.");
    return code;
}

}  // namespace reelsd::cli
