#include "commands.hpp"
#include "mcp/lines.hpp"
#include "options.hpp"
#include "text.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::cli {
namespace {

/// About a hundred thousand links.
constexpr std::size_t input_mib_max = 8;
constexpr std::size_t input_bytes_max = input_mib_max * 1024 * 1024;

/// Failed reels of one link after which it is submitted again. Bounds the requests.
constexpr int failures_max = 20;

/// Extra time to wait for each link, once a list needs more than the default.
constexpr std::chrono::seconds wait_per_link{60};

/// The server's message, without the link.
constexpr const char* too_long_link = "URL must be an instagram.com link";

struct analyze_arguments {
    std::vector<std::string> links;  ///< Also paths of files. Empty: read from standard input.
    submission options;              ///< For each of them; `link` is that of a single file's post.
    std::string extract;             ///< Preset, file, or "-" for standard input; empty: none.
    bool wait = false;
    bool as_json = false;
    std::optional<std::int64_t> timeout_seconds;
    /// Derives Idempotency-Keys from the links, so that the same command continues within 24 hours
    /// and submits failed reels again.
    bool is_resumable = false;
};

/// Whether a failure concerns the server or the account rather than one link.
bool ends_the_command(errc code) {
    return code != errc::invalid_argument && code != errc::limit_reached &&
           code != errc::storage_failed;
}

/// submit_file() with its progress shown.
result<api_answer> upload(
    const command_context& context, const std::string& file, const submission& options) {
    const auto name = one_line(file);
    const auto show = [&](std::uint64_t sent, std::uint64_t bytes) {
        constexpr std::uint64_t all = 100;
        const auto percent = bytes == 0 ? all : sent * all / bytes;
        context.shown.show_live(fmt::format("uploading {}: {} %", name, percent));
    };
    context.shown.show(fmt::format("uploading {}", name));
    return context.api.submit_file(file, options, show, context.stop);
}

/// Options as text; empty without any.
std::string text_of_options(const analysis_options& analysis) {
    const auto members = analysis.members();
    return members.empty() ? std::string{} : text_of_json(members);
}

std::size_t options_bytes(const analyze_arguments& arguments) {
    return text_of_options(arguments.options.analysis).size();
}

/// The same links with other options, or after another failed reel, are another submission.
std::string key_of(
    const std::vector<std::string>& links, const analysis_options& analysis,
    std::optional<std::int64_t> failed_reel = std::nullopt) {
    auto text = text_of_options(analysis);
    if (failed_reel) text += fmt::format(" {}", *failed_reel);
    return key_of_links(links, text);
}

/// The key of a request, counted from 0, of a command with the user's key. A key belongs to one
/// request.
std::optional<std::string> key_of_request(
    const std::optional<std::string>& key, std::size_t request) {
    if (!key || request == 0) return key;
    return key_of_links({*key}, fmt::format("{}", request));
}

/// The id of a reel that has failed, in the answer to a repeated submission.
std::optional<std::int64_t> failed_reel_in(const json& answer) {
    if (text_of(answer, "status") != "error") return std::nullopt;
    return integer_of(answer, "id");
}

result<json> extract_from(const std::string& argument) {
    const auto preset = [](json value) {
        return result<json>{boost::system::in_place_value, std::move(value)};
    };
    if (argument.empty()) return preset(nullptr);
    if (is_preset_name(argument)) return preset(argument);
    if (argument != "-") return schema_from_file(argument);
    return schema_from(read_text(stdin, schema_bytes_max + 1), "standard input");
}

/// Submits a link again while the answer is a reel that failed in an earlier run.
result<api_answer> retry_failed(
    const command_context& context, submission options, result<api_answer> queued) {
    for (int failures = 0; failures < failures_max; ++failures) {
        const auto failed = queued ? failed_reel_in(queued->document) : std::nullopt;
        if (!failed) break;
        options.idempotency_key = key_of({options.link}, options.analysis, failed);
        queued = context.api.submit(options, context.stop);
    }
    return queued;
}

/// The answer to one link or file, like that of a list.
result<json> list_answer(const std::string& url, const result<api_answer>& queued) {
    json answer{{"url", url}};
    if (queued) {
        answer.update(queued->document);
    } else if (ends_the_command(queued.error().code())) {
        return queued.error();
    } else {
        answer["error"] = queued.error().detail();
    }
    return {boost::system::in_place_value, std::move(answer)};
}

/// Submits links that fit one request: an array in their order.
result<json> submit_links(
    const command_context& context, const analyze_arguments& arguments,
    std::vector<std::string> links, std::optional<std::string> key) {
    submission_list list{
        .links = std::move(links),
        .fresh = arguments.options.fresh,
        .idempotency_key = std::move(key),
        .analysis = arguments.options.analysis};
    if (arguments.is_resumable) {
        list.idempotency_key = key_of(list.links, list.analysis);
        // A list of one link is another request than the link alone.
        if (list.links.size() == 1) *list.idempotency_key += "-list";
    }
    auto queued = context.api.submit_all(list, context.stop);
    if (!queued) return queued.error();
    auto& answers = queued->document;
    if (answers.size() != list.links.size())
        return no_reelsd_answer("the server did not answer for every link");
    for (std::size_t at = 0; arguments.is_resumable && at < answers.size(); ++at) {
        if (!failed_reel_in(answers[at])) continue;
        auto options = arguments.options;
        options.link = list.links[at];
        const auto retried = retry_failed(context, options, api_answer{{}, std::move(answers[at])});
        auto newer = list_answer(options.link, retried);
        if (!newer) return newer.error();
        answers[at] = *std::move(newer);
    }
    return {boost::system::in_place_value, std::move(answers)};
}

/// Submits a list. Appends the answer for each link, in their order: `url` and either `id` or
/// `error`. Returns the failure that ended the command; empty if every link has an answer.
std::optional<error> submit_list(
    const command_context& context, const analyze_arguments& arguments,
    std::vector<json>& answers) {
    const auto& links = arguments.links;
    auto next_key = [&arguments, requests = std::size_t{0}]() mutable {
        return key_of_request(arguments.options.idempotency_key, requests++);
    };
    for (auto first = links.begin(); first != links.end();) {
        if (is_too_long(*first)) {  // It might exceed the maximum size of a request.
            answers.push_back({{"url", *first++}, {"error", too_long_link}});
            continue;
        }
        if (is_video_file(*first)) {
            const auto& file = *first++;
            auto options = arguments.options;
            options.idempotency_key = next_key();
            auto answer = list_answer(file, upload(context, file, options));
            if (!answer) return answer.error();
            answers.push_back(*std::move(answer));
            continue;
        }
        const auto links_end = std::find_if(first, links.end(), [](const std::string& next) {
            return is_too_long(next) || is_video_file(next);
        });
        for (const auto size : parts_of({first, links_end}, options_bytes(arguments))) {
            const auto last = first + static_cast<std::ptrdiff_t>(size);
            context.shown.show_live(
                fmt::format("submitting {} of {}", last - links.begin(), links.size()));
            auto part = submit_links(context, arguments, {first, last}, next_key());
            if (!part) return part.error();
            for (auto& answer : *part) answers.push_back(std::move(answer));
            first = last;
        }
    }
    return std::nullopt;
}

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
        const auto link = one_line(text_of(answer, "url").value_or(""));
        const auto shown = prefix_that_fits(link, bounds::url_characters_max);
        context_.shown.note(fmt::format("reels: {}: {}", shown, one_line(why)));
        documents_.push_back(answer);
        note(text_of(answer, "error") ? exit_code::refused : exit_code::server_failed);
    }

    void queued(std::int64_t id, const json& answer) {
        const auto status = text_of(answer, "status").value_or("pending");
        ++(status == "pending" ? queued_ : repeated_);
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
        if (form_ == output_form::json) print_json(context_, dumped(documents_));
        if (form_ == output_form::page && !has_waited) {
            const auto repeated =
                repeated_ == 0 ? "" : fmt::format(", {} already submitted", repeated_);
            context_.shown.note(fmt::format(
                "{} of {} queued{}. See them with: reels list", queued_, links, repeated));
        }
        return code_;
    }

private:
    const command_context& context_;
    output_form form_;
    exit_code code_ = exit_code::ok;
    json documents_ = json::array();
    std::size_t queued_ = 0;
    std::size_t repeated_ = 0;  ///< Of an earlier run, and no longer pending.
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
        const auto& failure = job.error();
        const error shown{failure.code(), fmt::format("reel {}: {}", id, failure.detail())};
        output.lost(answer, report(context, shown));
        return failure.code() == errc::not_found;
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
    if (arguments.timeout_seconds) return std::chrono::seconds{*arguments.timeout_seconds};
    const auto links = static_cast<std::int64_t>(arguments.links.size());
    return std::max(wait_default, links * wait_per_link);
}

/// Submits two or more links and files in order and reports each: on standard output its id, or
/// with `wait` its analysis, and on standard error why it was rejected. As JSON: one array with an
/// element for each. Returns the exit code of the first failure. A failure of the server ends the
/// command.
exit_code run_analyze_list(const command_context& context, const analyze_arguments& arguments) {
    std::vector<json> answers;
    const auto failure = submit_list(context, arguments, answers);
    const auto by = deadline::after(wait_of(arguments));
    reporter output{context, form_of(arguments.as_json)};
    bool waits = arguments.wait;
    std::size_t ended = 0;
    for (const auto& answer : answers) {
        const auto bar = progress_bar(ended++, answers.size());
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

result<api_answer> submit_one(const command_context& context, const analyze_arguments& arguments) {
    auto options = arguments.options;
    const auto& argument = arguments.links.front();
    if (is_too_long(argument)) return error{errc::invalid_argument, too_long_link};
    if (is_video_file(argument)) return upload(context, argument, options);
    options.link = argument;
    auto queued = context.api.submit(options, context.stop);
    if (!arguments.is_resumable) return queued;
    return retry_failed(context, std::move(options), std::move(queued));
}

exit_code run_analyze_one(const command_context& context, const analyze_arguments& arguments) {
    const auto form = form_of(arguments.as_json);
    const auto queued = submit_one(context, arguments);
    if (!queued) return report(context, queued.error());
    const auto id = integer_of(queued->document, "id");
    if (!id) {
        return report(
            context,
            error{errc::connection_failed, "the server queued the reel but returned no id"});
    }
    const auto status = text_of(queued->document, "status").value_or("pending");
    if (arguments.wait) {
        context.shown.show(fmt::format("reel {}: {}", *id, one_line(status)));
        return wait_and_print_job(context, *id, wait_of(arguments), form);
    }
    if (form == output_form::json) {
        print_json(context, queued->body);
        return exit_code::ok;
    }
    // The id alone on standard output, for scripts: id=$(reels analyze ...).
    print(context, fmt::format("{}", *id));
    const auto* const state = has_ended(queued->document) ? "Analysed before" : "Queued";
    context.shown.note(fmt::format("{}. See it with: reels get {}", state, *id));
    return exit_code::ok;
}

/// Whether a file begins with a link, as a list for standard input does.
bool is_list_of_links(const std::string& file) {
    constexpr std::size_t begin_bytes_max = 512;
    const owned_file opened{std::fopen(file.c_str(), "re")};
    if (!opened) return false;
    const auto links = links_in(read_text(opened.get(), begin_bytes_max));
    return !links.empty() && links.front().starts_with("http");
}

/// Submits one link or file, or several. Sends nothing if a file cannot be read or is no video.
exit_code run_analyze_links(const command_context& context, const analyze_arguments& arguments) {
    for (const auto& link : arguments.links) {
        if (!is_video_file(link)) continue;
        const auto bytes = readable_bytes_of(link);
        if (!bytes) return fail(context, exit_code::usage, bytes.error().detail());
        if (is_list_of_links(link)) {
            return fail(
                context,
                exit_code::usage,
                fmt::format(
                    "{0} is not a video; to submit its links: reels analyze < {0}",
                    one_line(link)));
        }
    }
    if (arguments.links.size() == 1) return run_analyze_one(context, arguments);
    return run_analyze_list(context, arguments);
}

/// The links of standard input. Errors: cancelled; invalid_argument if there are too many.
result<std::vector<std::string>> read_links(const command_context& context) {
    std::string text;
    const auto add = [&text](std::string_view bytes) {
        if (text.size() <= input_bytes_max) text.append(bytes);
    };
    const auto end = mcp::read_all(STDIN_FILENO, add, context.stop);
    if (end == mcp::read_end::stopped) return error{errc::cancelled};
    if (text.size() <= input_bytes_max) return links_in(text);
    return error{
        errc::invalid_argument,
        fmt::format("standard input exceeds {} MiB; split the list into several", input_mib_max)};
}

/// Submits the links of standard input. The same command with the same links continues.
exit_code run_analyze_input(const command_context& context, analyze_arguments arguments) {
    const bool has_input =
        arguments.extract != "-" && !mcp::is_closed(STDIN_FILENO) && isatty(STDIN_FILENO) == 0;
    if (has_input) {
        auto links = read_links(context);
        if (!links && links.error().code() == errc::cancelled)
            return report(context, links.error());
        if (!links) return fail(context, exit_code::usage, links.error().detail());
        arguments.links = *std::move(links);
    }
    if (arguments.links.empty()) {
        return fail(
            context,
            exit_code::usage,
            "no links: give them as arguments, or one per line on standard input");
    }
    auto& key = arguments.options.idempotency_key;
    arguments.is_resumable = !arguments.options.fresh && !key;
    const bool is_one = arguments.links.size() == 1;
    // The name of a file does not identify its content.
    if (is_one && arguments.is_resumable && !is_video_file(arguments.links.front())) {
        key = key_of(arguments.links, arguments.options.analysis);
    }
    return run_analyze_links(context, arguments);
}

exit_code run_analyze(const command_context& context, const analyze_arguments& given) {
    auto arguments = given;
    auto extract = extract_from(arguments.extract);
    if (!extract) return fail(context, exit_code::usage, extract.error().detail());
    arguments.options.analysis.extract = *std::move(extract);
    const bool is_one_file = arguments.links.size() == 1 && is_video_file(arguments.links.front());
    if (!arguments.options.link.empty() && !is_one_file)
        return fail(context, exit_code::usage, "--link requires exactly one file");
    if (arguments.links.empty()) return run_analyze_input(context, std::move(arguments));
    return run_analyze_links(context, arguments);
}

/// Why the API would reject an Idempotency-Key; empty for a valid one.
std::string idempotency_key_error(const std::string& key) {
    constexpr std::size_t key_bytes_max = 255;
    if (is_visible_ascii(key) && !key.empty() && key.size() <= key_bytes_max) return {};
    return "a key is 1 to 255 visible ASCII characters without spaces";
}

void add_analysis_options(CLI::App& analyze, analyze_arguments& arguments) {
    auto& analysis = arguments.options.analysis;
    analyze
        .add_option(
            "--extract",
            arguments.extract,
            "Also fill these fields: a preset (see reels presets), or a file with a JSON Schema, "
            "- for standard input")
        ->type_name("FILE")
        ->check(CLI::Validator{
            [](std::string& name) {
                return name.empty() ? std::string{"a preset or a file is required"} : "";
            },
            ""});
    analyze
        .add_option(
            "--language",
            analysis.language,
            "Language of the texts about the reel, such as de or pt-BR")
        ->type_name("TAG");
    analyze
        .add_option(
            "--instructions", analysis.instructions, "What the model should pay attention to")
        ->type_name("TEXT");
    analyze.add_option("--analyzer", analysis.analyzer, "Which of the server's analyzers to use")
        ->type_name("NAME");
}

}  // namespace

void add_analyze_command(CLI::App& app, command& chosen) {
    auto [analyze, arguments] =
        add_server_command(app, chosen, "analyze", "Queue reels for analysis", &run_analyze);
    analyze.add_option(
        "URL|FILE",
        arguments.links,
        "Links to reels, or video files; without any, links are read from standard input");
    analyze
        .add_option("--link", arguments.options.link, "Link of the post to which the file belongs")
        ->type_name("URL");
    add_wait_options(analyze, arguments.wait, arguments.timeout_seconds);
    add_analysis_options(analyze, arguments);
    analyze.add_flag(
        "--fresh",
        arguments.options.fresh,
        "Analyse again, even if a recent result could be reused");
    analyze
        .add_option(
            "--idempotency-key",
            arguments.options.idempotency_key,
            "A repeat with the same key within 24 hours is not queued twice (random)")
        ->type_name("KEY")
        ->check(CLI::Validator{[](std::string& key) { return idempotency_key_error(key); }, ""});
    add_json_flag(analyze, arguments.as_json);
    analyze.footer(R"(Examples:
    reels analyze --wait https://www.instagram.com/reel/DYa0IXPgnP5/
    id=$(reels analyze https://www.instagram.com/reel/DYa0IXPgnP5/)
    reels analyze --wait < links.txt
    reels analyze --wait clip.mp4 *.mov
    reels analyze --wait --extract recipe --language de clip.mp4
    reels analyze --extract my-schema.json < links.txt

Reels beyond the limit of jobs at the same time wait for their turn on the
server. Repeating a command with the same links on standard input continues an
interrupted one, within 24 hours, and submits failed reels again; with --fresh
it starts again.)");
}

}  // namespace reelsd::cli
