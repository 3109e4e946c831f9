#include "commands.hpp"
#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

namespace reelsd::cli {
namespace {

void note_unfinished(const command_context& context, std::int64_t id, std::string_view reason) {
    context.shown.finish();
    context.shown.note(fmt::format("{} The analysis continues on the server.", reason));
    context.shown.note(fmt::format("See it later with: reels get {}", id));
}

}  // namespace

void print(const command_context& context, std::string text) {
    context.shown.finish();
    if (!text.ends_with('\n')) text.push_back('\n');
    std::fwrite(text.data(), 1, text.size(), context.out);
}

void print_json(const command_context& context, std::string_view document) {
    print(context, safe_json(document));
}

exit_code fail(const command_context& context, exit_code code, std::string_view reason) {
    context.shown.finish();
    context.shown.note(fmt::format("reels: {}", reason));
    return code;
}

exit_code report(const command_context& context, const error& failure) {
    auto code = exit_code_of(failure.code());
    if (code == exit_code::interrupted) return fail(context, code, "interrupted");
    code = fail(context, code, failure.detail());
    if (const auto advice = advice_for(failure); !advice.empty()) context.shown.note(advice);
    return code;
}

exit_code print_job(const command_context& context, const api_answer& job, output_form form) {
    if (form == output_form::json) {
        print_json(context, job.body);
    } else {
        print(context, render_job(job.document, context.page));
    }
    return text_of(job.document, "status") == "error" ? exit_code::job_failed : exit_code::ok;
}

exit_code wait_and_print_job(
    const command_context& context, std::int64_t id, std::chrono::seconds wait, output_form form) {
    const auto show = [&context](const job_progress& state) {
        context.shown.show(progress_text(state));
    };
    const auto job = await_job(context.api, id, wait, context.stop, show);
    if (job && has_ended(job->document)) return print_job(context, *job, form);
    if (job) {
        if (form == output_form::json) print_json(context, job->body);
        const auto waited = duration_text(static_cast<double>(wait.count()));
        note_unfinished(context, id, fmt::format("Not finished after {}.", waited));
        return exit_code::unfinished;
    }
    if (job.error().code() == errc::cancelled) {
        note_unfinished(context, id, "Stopped waiting.");
        return exit_code::interrupted;
    }
    const auto code = report(context, job.error());
    if (code == exit_code::server_failed) note_unfinished(context, id, "Stopped waiting.");
    return code;
}

}  // namespace reelsd::cli
