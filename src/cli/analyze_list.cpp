#include "analyze_list.hpp"

#include "job_wait.hpp"
#include "link_input.hpp"
#include "output.hpp"
#include "page.hpp"
#include "text.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace reelsd::cli {
namespace {

/// As JSON: with quotation marks, a comma, and what has to be escaped.
std::size_t bytes_of(const std::string& link) {
    return json(link).dump(-1, ' ', false, json::error_handler_t::replace).size() + 1;
}

std::string shown_link(std::string_view link) {
    return printable(link, line_breaks::to_blank);
}

/// What one link is refused for is no trouble of the others.
bool ends_the_command(errc code) {
    return code != errc::invalid_argument && code != errc::limit_reached &&
           code != errc::storage_failed;
}

/// Submits a list and keeps what becomes of each link.
class submitter {
public:
    submitter(const command_context& context, const analyze_list& wanted)
        : context_{context}, wanted_{wanted} {}

    /// Nothing when all have an answer; else what ended it.
    std::optional<error> run() {
        const auto end = wanted_.links.end();
        for (auto first = wanted_.links.begin(); first != end;) {
            if (is_video_file(*first)) {
                if (auto why = submit_file(*first++)) return why;
                continue;
            }
            const auto links_end = std::find_if(first, end, &is_video_file);
            for (const auto size : parts_of({first, links_end})) {
                const auto last = first + static_cast<std::ptrdiff_t>(size);
                context_.shown.show_live(fmt::format(
                    "submitting {} of {}", last - wanted_.links.begin(), wanted_.links.size()));
                if (auto why = submit({first, last})) return why;
                first = last;
            }
        }
        return std::nullopt;
    }

    /// Of each link that was answered, in order: its `url` and its `id` or `error`.
    [[nodiscard]] std::vector<json>& answers() noexcept { return answers_; }

private:
    std::optional<error> submit(std::vector<std::string> part) {
        submission_list list{
            .links = part, .fresh = wanted_.fresh, .idempotency_key = wanted_.idempotency_key};
        if (wanted_.is_resumable && !list.idempotency_key)
            list.idempotency_key = key_of_links(part);
        if (takes_lists_) {
            auto answer = context_.api.submit_all(list, context_.stop);
            if (!answer) return answer.error();
            if (*answer) return take((*answer)->document, part.size());
            takes_lists_ = false;
        }
        if (wanted_.idempotency_key) {
            return error{
                errc::invalid_argument,
                "this server takes one link at a time, and a key is for one submission: submit "
                "them one by one"};
        }
        for (auto& link : part) {
            if (auto why = submit_alone(std::move(link))) return why;
        }
        return std::nullopt;
    }

    std::optional<error> take(json& answer, std::size_t count) {
        if (answer.size() != count) {
            return error{
                errc::connection_failed,
                "the server did not answer for every link: is this a reelsd server?"};
        }
        for (auto& one : answer) answers_.push_back(std::move(one));
        return std::nullopt;
    }

    std::optional<error> submit_file(const std::string& file) {
        return keep(
            file,
            upload(context_, file, {.link = {}, .fresh = wanted_.fresh, .idempotency_key = {}}));
    }

    /// For servers from before there were lists.
    std::optional<error> submit_alone(std::string link) {
        const auto queued = context_.api.submit(
            {.link = link, .fresh = wanted_.fresh, .idempotency_key = {}}, context_.stop);
        return keep(link, queued);
    }

    std::optional<error> keep(const std::string& argument, const result<api_answer>& queued) {
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
    const analyze_list& wanted_;
    std::vector<json> answers_;
    bool takes_lists_ = true;
};

/// Prints what became of the links, one after the other.
class reporter {
public:
    reporter(const command_context& context, output_form form) : context_{context}, form_{form} {}

    void note(exit_code code) {
        if (code_ == exit_code::ok) code_ = code;
    }

    /// Of a link that was refused, or not answered as it should.
    void refused(const json& answer) {
        const auto why = text_of(answer, "error").value_or("the server returned no id");
        const auto link = text_of(answer, "url").value_or("");
        context_.shown.note(
            fmt::format("reels: {}: {}", shown_link(link), printable(why, line_breaks::to_blank)));
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

    /// Of a link that was queued, and nothing more is known of it.
    void lost(const json& answer, exit_code why) {
        documents_.push_back(answer);
        note(why);
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

/// Waits for one of them. `bar` says how far the list is. False: the others need not be waited for.
bool wait_for(
    const command_context& context, std::int64_t id, const json& answer, deadline by,
    const std::string& bar, reporter& report_to) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(by.remaining());
    context.shown.show_live(bar);
    const auto show = [&](const job_progress& now) {
        const auto text = progress_text(now);
        context.shown.show(text, fmt::format("{}; {}", bar, text));
    };
    const auto job =
        await_job(context.api, id, std::max(left, std::chrono::seconds{0}), context.stop, show);
    if (job && has_ended(job->document)) {
        report_to.ended(*job);
    } else if (job) {
        report_to.unfinished(id, job->document);
    } else {
        report_to.lost(answer, report(context, job.error()));
        return job.error().code() == errc::not_found;
    }
    return true;
}

}  // namespace

bool is_video_file(const std::string& argument) {
    if (contains(argument, "://")) return false;
    std::error_code failure;
    if (std::filesystem::is_regular_file(argument, failure)) return true;
    const auto ending = ascii_lower(std::filesystem::path{argument}.extension().string());
    return ending == ".mp4" || ending == ".mov" || ending == ".m4v" || ending == ".webm";
}

result<api_answer> upload(
    const command_context& context, const std::string& file, const submission& wanted) {
    const auto name = shown_link(file);
    const auto show = [&](std::uint64_t sent, std::uint64_t bytes) {
        constexpr std::uint64_t all = 100;
        const auto percent = bytes == 0 ? all : sent * all / bytes;
        context.shown.show_live(fmt::format("uploading {}: {} %", name, percent));
    };
    context.shown.show(fmt::format("uploading {}", name));
    return context.api.submit_file(file, wanted, show, context.stop);
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
        const auto more = bytes_of(link);
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

exit_code run_analyze_list(
    const command_context& context, const analyze_list& wanted, output_form form) {
    if (wanted.idempotency_key && parts_of(wanted.links).size() > 1) {
        context.shown.note(fmt::format(
            "reels: one --idempotency-key serves at most {} links", submission_list::links_max));
        return exit_code::usage;
    }
    submitter links{context, wanted};
    const auto trouble = links.run();
    const auto by = deadline::after(wanted.wait.value_or(std::chrono::seconds{0}));
    reporter output{context, form};
    bool goes_on = true;
    std::size_t ended = 0;
    for (const auto& answer : links.answers()) {
        const auto bar = progress_bar(ended++, links.answers().size());
        const auto id = integer_of(answer, "id");
        if (!id) {
            output.refused(answer);
        } else if (!wanted.wait) {
            output.queued(*id, answer);
        } else if (goes_on) {
            goes_on = wait_for(context, *id, answer, by, bar, output);
        } else {
            output.unfinished(*id, answer);
        }
    }
    if (trouble) output.note(report(context, *trouble));
    return output.finish(wanted.links.size(), wanted.wait.has_value());
}

}  // namespace reelsd::cli
