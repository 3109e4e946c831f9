#include "analyze_list.hpp"

#include "job_wait.hpp"
#include "links.hpp"
#include "text.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reelsd::cli {
namespace {

/// Extra time to wait for each link, once a list needs more than the default.
constexpr std::chrono::seconds wait_per_link{60};

/// Size in a JSON array, with its comma.
std::size_t json_bytes_of(const std::string& link) {
    return json(link).dump(-1, ' ', false, json::error_handler_t::replace).size() + 1;
}

/// Whether a failure concerns the server or the account rather than one link.
bool ends_the_command(errc code) {
    return code != errc::invalid_argument && code != errc::limit_reached &&
           code != errc::storage_failed;
}

/// Submits a list and collects the answer for each link.
class submitter {
public:
    submitter(const command_context& context, const analyze_arguments& arguments)
        : context_{context}, arguments_{arguments} {}

    /// Returns the failure that ended the command; nothing if every link has an answer.
    std::optional<error> run() {
        const auto& links = arguments_.links;
        for (auto first = links.begin(); first != links.end();) {
            if (is_video_file(*first)) {
                if (auto failure = submit_file(*first++)) return failure;
                continue;
            }
            const auto links_end = std::find_if(first, links.end(), &is_video_file);
            for (const auto size : parts_of({first, links_end})) {
                const auto last = first + static_cast<std::ptrdiff_t>(size);
                context_.shown.show_live(
                    fmt::format("submitting {} of {}", last - links.begin(), links.size()));
                if (auto failure = submit({first, last})) return failure;
                first = last;
            }
        }
        return std::nullopt;
    }

    /// In the order of the links, each with `url` and either `id` or `error`.
    [[nodiscard]] const std::vector<json>& answers() const noexcept { return answers_; }

private:
    std::optional<error> submit(std::vector<std::string> part) {
        submission_list list{
            .links = std::move(part),
            .fresh = arguments_.options.fresh,
            .idempotency_key = arguments_.options.idempotency_key};
        if (arguments_.is_resumable && !list.idempotency_key)
            list.idempotency_key = key_of_links(list.links);
        if (takes_lists_) {
            auto answer = context_.api.submit_all(list, context_.stop);
            if (!answer) return answer.error();
            if (*answer) return add_answers((*answer)->document, list.links.size());
            takes_lists_ = false;
        }
        if (arguments_.options.idempotency_key) {
            return error{
                errc::invalid_argument,
                "this server accepts one link per request, and a key applies to one request: "
                "submit the links one by one"};
        }
        for (const auto& link : list.links) {
            if (auto failure = submit_alone(link)) return failure;
        }
        return std::nullopt;
    }

    std::optional<error> add_answers(json& answers, std::size_t count) {
        if (answers.size() != count) {
            return error{
                errc::connection_failed,
                "the server did not answer for every link: is this a reelsd server?"};
        }
        for (auto& answer : answers) answers_.push_back(std::move(answer));
        return std::nullopt;
    }

    std::optional<error> submit_file(const std::string& file) {
        return add_answer(file, upload(context_, file, options_for("")));
    }

    /// For servers that accept only one link per request.
    std::optional<error> submit_alone(const std::string& link) {
        return add_answer(link, context_.api.submit(options_for(link), context_.stop));
    }

    [[nodiscard]] submission options_for(std::string link) const {
        return {.link = std::move(link), .fresh = arguments_.options.fresh, .idempotency_key = {}};
    }

    std::optional<error> add_answer(const std::string& argument, const result<api_answer>& queued) {
        json answer{{"url", argument}};
        if (queued) {
            answer.update(queued->document);
        } else if (ends_the_command(queued.error().code())) {
            return queued.error();
        } else {
            answer["error"] = queued.error().detail();
        }
        answers_.push_back(std::move(answer));
        return std::nullopt;
    }

    const command_context& context_;
    const analyze_arguments& arguments_;
    std::vector<json> answers_;
    bool takes_lists_ = true;
};

/// Prints the outcome of each link.
class reporter {
public:
    reporter(const command_context& context, output_form form) : context_{context}, form_{form} {}

    void note(exit_code code) {
        if (code_ == exit_code::ok) code_ = code;
    }

    /// For a link that was rejected, or that has no id.
    void refused(const json& answer) {
        const auto why = text_of(answer, "error").value_or("the server returned no id");
        const auto link = text_of(answer, "url").value_or("");
        context_.shown.note(fmt::format(
            "reels: {}: {}",
            printable(link, line_breaks::to_blank),
            printable(why, line_breaks::to_blank)));
        documents_.push_back(answer);
        note(text_of(answer, "error") ? exit_code::refused : exit_code::server_failed);
    }

    void queued(std::int64_t id, const json& answer) {
        ++queued_;
        documents_.push_back(answer);
        if (form_ == output_form::page) print(context_, fmt::format("{}", id));
    }

    void ended(const api_answer& job) {
        documents_.push_back(job.document);
        if (form_ == output_form::json) {
            note(
                text_of(job.document, "status") == "error" ? exit_code::job_failed : exit_code::ok);
            return;
        }
        if (std::exchange(has_printed_, true)) print(context_, "");
        note(print_job(context_, job, form_));
    }

    void unfinished(std::int64_t id, const json& job) {
        documents_.push_back(job);
        context_.shown.note(fmt::format(
            "Reel {} is not finished; its analysis continues. See it later with: reels get {}",
            id,
            id));
        note(exit_code::unfinished);
    }

    /// For a queued link whose job could not be read.
    void lost(const json& answer, exit_code code) {
        documents_.push_back(answer);
        note(code);
    }

    [[nodiscard]] exit_code finish(std::size_t links, bool has_waited) {
        context_.shown.finish();
        if (form_ == output_form::json) print_json(context_, documents_.dump());
        if (form_ == output_form::page && !has_waited) {
            context_.shown.note(
                fmt::format("{} of {} queued. See them with: reels list", queued_, links));
        }
        return code_;
    }

private:
    const command_context& context_;
    output_form form_;
    exit_code code_ = exit_code::ok;
    json documents_ = json::array();
    std::size_t queued_ = 0;
    bool has_printed_ = false;
};

/// Waits for one job. `bar` is the progress of the list. Returns false if waiting for further jobs
/// is useless.
bool wait_for(
    const command_context& context, std::int64_t id, const json& answer, deadline by,
    const std::string& bar, reporter& output) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(by.remaining());
    context.shown.show_live(bar);
    const auto show = [&](const job_progress& state) {
        const auto text = progress_text(state);
        context.shown.show(text, fmt::format("{}; {}", bar, text));
    };
    const auto job = await_job(context.api, id, left, context.stop, show);
    if (!job) {
        output.lost(answer, report(context, job.error()));
        return job.error().code() == errc::not_found;
    }
    if (has_ended(job->document)) {
        output.ended(*job);
    } else {
        output.unfinished(id, job->document);
    }
    return true;
}

/// Time to wait for all links together.
std::chrono::seconds wait_of(const analyze_arguments& arguments) {
    const std::chrono::seconds wait{arguments.timeout_seconds};
    if (wait != wait_default) return wait;
    return std::max(wait, static_cast<std::int64_t>(arguments.links.size()) * wait_per_link);
}

}  // namespace

result<api_answer> upload(
    const command_context& context, const std::string& file, const submission& options) {
    const auto name = printable(file, line_breaks::to_blank);
    const auto show = [&](std::uint64_t sent, std::uint64_t bytes) {
        constexpr std::uint64_t all = 100;
        const auto percent = bytes == 0 ? all : sent * all / bytes;
        context.shown.show_live(fmt::format("uploading {}: {} %", name, percent));
    };
    context.shown.show(fmt::format("uploading {}", name));
    return context.api.submit_file(file, options, show, context.stop);
}

std::string progress_bar(std::size_t ended, std::size_t links) {
    constexpr std::size_t cells = 20;
    const auto full = links == 0 ? cells : cells * ended / links;
    return fmt::format("[{:#<{}}{:-<{}}] {} of {} ended", "", full, "", cells - full, ended, links);
}

std::vector<std::size_t> parts_of(const std::vector<std::string>& links) {
    std::vector<std::size_t> parts;
    std::size_t bytes = 0;
    for (const auto& link : links) {
        const auto more = json_bytes_of(link);
        const bool begins = parts.empty() || parts.back() == submission_list::links_max ||
                            bytes + more > submission_list::bytes_max;
        if (begins) {
            parts.push_back(0);
            bytes = 0;
        }
        ++parts.back();
        bytes += more;
    }
    return parts;
}

exit_code run_analyze_list(const command_context& context, const analyze_arguments& arguments) {
    if (arguments.options.idempotency_key && parts_of(arguments.links).size() > 1) {
        context.shown.note(fmt::format(
            "reels: one --idempotency-key serves at most {} links", submission_list::links_max));
        return exit_code::usage;
    }
    submitter links{context, arguments};
    const auto failure = links.run();
    const auto by = deadline::after(wait_of(arguments));
    reporter output{context, form_of(arguments.as_json)};
    bool waits = arguments.wait;
    std::size_t ended = 0;
    for (const auto& answer : links.answers()) {
        const auto bar = progress_bar(ended++, links.answers().size());
        const auto id = integer_of(answer, "id");
        if (!id) {
            output.refused(answer);
        } else if (!arguments.wait) {
            output.queued(*id, answer);
        } else if (waits) {
            waits = wait_for(context, *id, answer, by, bar, output);
        } else {
            output.unfinished(*id, answer);
        }
    }
    if (failure) output.note(report(context, *failure));
    return output.finish(arguments.links.size(), arguments.wait);
}

}  // namespace reelsd::cli
