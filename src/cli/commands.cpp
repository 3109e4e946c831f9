#include "commands.hpp"

#include "options.hpp"
#include "part_file.hpp"
#include "submission.hpp"
#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

// All commands but analyze, mcp and completion.
namespace reelsd::cli {
namespace {

/// Prints a result as the API's JSON, or as the text that `render` makes of it.
template <class Render>
exit_code show(
    const command_context& context, const result<api_answer>& answer, bool as_json,
    const Render& render) {
    if (!answer) return report(context, answer.error());
    if (as_json) {
        print_json(context, answer->body);
    } else {
        print(context, render(answer->document, context.page));
    }
    return exit_code::ok;
}

struct get_arguments {
    std::int64_t id = 0;
    bool wait = false;
    bool as_json = false;
    std::optional<std::int64_t> timeout_seconds;
};

exit_code run_get(const command_context& context, const get_arguments& arguments) {
    const auto form = form_of(arguments.as_json);
    if (arguments.wait) {
        const std::chrono::seconds at_most{
            arguments.timeout_seconds.value_or(wait_default.count())};
        return wait_and_print_job(context, arguments.id, at_most, form);
    }
    const auto job = context.api.job(arguments.id, std::chrono::seconds{0}, context.stop);
    if (!job) return report(context, job.error());
    return print_job(context, *job, form);
}

constexpr std::array statuses{"pending", "processing", "done", "error"};

/// Upper bound and default of the API for one page.
constexpr int page_reels_max = 100;
constexpr int page_reels_default = 20;
/// `--all` ends here: 100,000 reels with their summaries are some 200 MB as parsed JSON.
constexpr int pages_max = 1000;

struct list_arguments {
    std::optional<int> limit;
    std::optional<std::string> status;
    std::optional<std::string> author;
    std::optional<std::string> cursor;
    bool all = false;
    bool as_json = false;
};

/// Appends the following pages to the first one.
result<reel_page> read_all_pages(
    const command_context& context, list_query query, reel_page listed) {
    for (int pages = 1; listed.next_cursor; ++pages) {
        if (pages == pages_max) {
            return error{
                errc::invalid_argument,
                fmt::format(
                    "the list has more than {} reels: list it in parts with --cursor",
                    listed.reels.document.size())};
        }
        context.shown.show_live(
            fmt::format("reading the list: {} reels", listed.reels.document.size()));
        query.cursor = listed.next_cursor;
        auto page = context.api.list(query, context.stop);
        if (!page) return page.error();
        for (auto& reel : page->reels.document) listed.reels.document.push_back(std::move(reel));
        listed.next_cursor = std::move(page->next_cursor);
    }
    listed.reels.body = listed.reels.document.dump();
    return listed;
}

/// The command that continues the list after this page, with the same options.
std::string command_for_rest(const list_arguments& arguments, const std::string& cursor) {
    auto text = fmt::format("reels list --cursor {}", cursor);
    if (arguments.limit) text += fmt::format(" --limit {}", *arguments.limit);
    if (arguments.status) text += fmt::format(" --status {}", *arguments.status);
    if (arguments.author) text += fmt::format(" --author '{}'", one_line(*arguments.author));
    return text;
}

std::string empty_list_text(const list_arguments& arguments) {
    if (arguments.author) return fmt::format("No reels of {}.", one_line(*arguments.author));
    if (arguments.status) return fmt::format("No reels with the status {}.", *arguments.status);
    if (arguments.cursor) return "No more reels.";
    return "No reels yet. Queue one with: reels analyze URL";
}

exit_code run_list(const command_context& context, const list_arguments& arguments) {
    const auto limit =
        arguments.limit.value_or(arguments.all ? page_reels_max : page_reels_default);
    const list_query query{
        .limit = limit,
        .status = arguments.status,
        .cursor = arguments.cursor,
        .latest = !arguments.all,
        .author = arguments.author};
    auto listed = context.api.list(query, context.stop);
    if (listed && arguments.all && listed->next_cursor) {
        listed = read_all_pages(context, query, *std::move(listed));
    }
    if (!listed) return report(context, listed.error());

    const auto& reels = listed->reels;
    context.shown.finish();
    if (arguments.as_json) {
        print_json(context, reels.body);
    } else if (reels.document.empty()) {
        context.shown.note(empty_list_text(arguments));
    } else {
        print(context, render_reels(reels.document, context.page));
    }
    if (listed->next_cursor) {
        // Even with --json: the array has no place for it.
        context.shown.note(
            fmt::format("More: {}", command_for_rest(arguments, *listed->next_cursor)));
    }
    return exit_code::ok;
}

constexpr int hits_max = 50;  ///< Upper bound of the API.

struct search_arguments {
    std::vector<std::string> words;
    std::optional<int> limit;
    bool as_json = false;
};

exit_code run_search(const command_context& context, const search_arguments& arguments) {
    const auto words = fmt::format("{}", fmt::join(arguments.words, " "));
    const auto hits = context.api.search(words, arguments.limit, context.stop);
    if (!hits || arguments.as_json || !hits->document.empty())
        return show(context, hits, arguments.as_json, render_hits);
    context.shown.note(
        "Nothing found. Only finished reels can be found. To see all reels: reels list");
    return exit_code::ok;
}

struct presets_arguments {
    std::string name;  ///< Empty: all.
    bool as_json = false;
};

/// The presets, or the schema of one, which a user may change and pass to analyze.
exit_code run_presets(const command_context& context, const presets_arguments& arguments) {
    const auto presets = context.api.presets(context.stop);
    if (!presets || arguments.name.empty())
        return show(context, presets, arguments.as_json, render_presets);
    for (const auto& preset : presets->document) {
        if (text_of(preset, "name") != arguments.name) continue;
        constexpr int indent = 2;
        const auto schema = member(preset, "schema");
        print_json(context, schema.dump(indent, ' ', false, json::error_handler_t::replace));
        return exit_code::ok;
    }
    const auto name = one_line(arguments.name);
    return fail(
        context,
        exit_code::refused,
        fmt::format("no preset \"{}\"; list them with: reels presets", name));
}

struct usage_arguments {
    usage_query days;
    bool as_json = false;
};

exit_code run_usage(const command_context& context, const usage_arguments& arguments) {
    const auto usage = context.api.usage(arguments.days, context.stop);
    const auto render = [&arguments](const json& document, const render_options& options) {
        return render_usage(document, arguments.days, options);
    };
    return show(context, usage, arguments.as_json, render);
}

/// Upper bound of the API on the reels considered.
constexpr int reels_considered_max = 20;

struct ask_arguments {
    std::vector<std::string> words;
    question asked;
    bool as_json = false;
};

exit_code run_ask(const command_context& context, const ask_arguments& arguments) {
    auto asked = arguments.asked;
    asked.text = fmt::format("{}", fmt::join(arguments.words, " "));
    context.shown.show("asking");
    const auto answer = context.api.ask(asked, context.stop);
    const auto code = show(context, answer, arguments.as_json, render_answer);
    return answer && !is_answered(answer->document) ? exit_code::no_answer : code;
}

struct delete_arguments {
    std::vector<std::int64_t> ids;
    bool failed = false;  ///< All failed ones, instead of `ids`.
    bool as_json = false;
};

/// Whether a failure concerns the server rather than one reel.
bool ends_deletion(errc code) {
    return code != errc::not_found && code != errc::conflict;
}

/// Deletes all failed reels, some thousand per request.
exit_code delete_failed(const command_context& context, const delete_arguments& arguments) {
    std::int64_t deleted = 0;
    for (;;) {
        const auto step = context.api.remove_failed(context.stop);
        if (!step) return report(context, step.error());
        if (*step == 0) break;
        deleted += *step;
    }
    if (arguments.as_json) {
        print_json(context, json{{"deleted", deleted}}.dump());
    } else {
        print(context, fmt::format("Deleted {} failed reel{}", deleted, deleted == 1 ? "" : "s"));
    }
    return exit_code::ok;
}

/// Deletes reels one by one, despite unknown ids, until the server fails. Returns the exit code of
/// the first failure.
exit_code run_delete(const command_context& context, const delete_arguments& arguments) {
    if (arguments.failed) return delete_failed(context, arguments);
    auto code = exit_code::ok;
    auto outcomes = json::array();
    for (const auto id : arguments.ids) {
        const auto removed = context.api.remove(id, context.stop);
        if (removed) {
            outcomes.push_back({{"id", id}, {"status", "deleted"}});
            if (!arguments.as_json) print(context, fmt::format("Deleted reel {}", id));
            continue;
        }
        const auto& failure = removed.error();
        const auto failure_code = report(
            context, error{failure.code(), fmt::format("reel {}: {}", id, failure.detail())});
        const auto* const message =
            failure.code() == errc::cancelled ? "interrupted" : failure.detail().c_str();
        outcomes.push_back({{"id", id}, {"status", "error"}, {"message", message}});
        if (code == exit_code::ok) code = failure_code;
        if (ends_deletion(failure.code())) break;
    }
    if (arguments.as_json) print_json(context, outcomes.dump());
    return code;
}

namespace fs = std::filesystem;

struct download_arguments {
    std::int64_t id = 0;
    bool frames = false;  ///< The frames of the key moments, instead of the video.
    /// A file or a folder, which exists or ends in a slash; empty: the current folder.
    std::string output;
};

/// `output` for one file; in a folder, the file has `name`.
fs::path target_of(const std::string& output, const std::string& name) {
    std::error_code failure;
    if (output.empty()) return name;
    if (fs::is_directory(output, failure)) return fs::path{output} / name;
    return output;
}

std::string shown_path(const fs::path& file) {
    return one_line(file.string());
}

/// Whether a file exists, and therefore is not downloaded again.
bool exists_already(const command_context& context, const fs::path& file) {
    std::error_code failure;
    if (!fs::exists(file, failure)) return false;
    context.shown.note(fmt::format("{} exists already", shown_path(file)));
    return true;
}

exit_code download_video(const command_context& context, const download_arguments& arguments) {
    const auto target = target_of(arguments.output, fmt::format("reel-{}.mp4", arguments.id));
    if (exists_already(context, target)) return exit_code::ok;
    part_file file{target};
    const auto name = shown_path(target);
    const auto begin = [&](const download_part& part) {
        context.shown.show(
            fmt::format("{} {}", part.offset > 0 ? "continuing" : "downloading", name));
        return file.begin(part);
    };
    const auto write = [&](std::span<const std::byte> bytes) {
        constexpr std::uint64_t all = 100;
        const auto size = file.size().value_or(0);
        if (size > 0) {
            const auto percent = file.position().bytes * all / size;
            context.shown.show_live(fmt::format("downloading {}: {} %", name, percent));
        }
        return file.write(bytes);
    };
    const download_target receiver{
        .position = [&file] { return file.position(); }, .begin = begin, .write = write};
    auto done = context.api.download_video(arguments.id, receiver, context.stop);
    if (done) done = file.finish();
    if (done) {
        print(context, name);
        return exit_code::ok;
    }
    if (done.error().code() == errc::not_found) {
        return report(
            context,
            error{
                errc::not_found,
                fmt::format(
                    "the server has no video of reel {}: {}",
                    arguments.id,
                    done.error().detail())});
    }
    const auto code = report(context, done.error());
    const auto received = file.position();
    if (received.bytes > 0 && !received.etag.empty()) {
        context.shown.note(fmt::format(
            "{} are kept; the same command continues.",
            bytes_text(static_cast<std::int64_t>(received.bytes))));
    }
    return code;
}

/// Downloads the frames of all key moments. The first failure ends the command.
exit_code download_frames(const command_context& context, const download_arguments& arguments) {
    const auto job = context.api.job(arguments.id, std::chrono::seconds{0}, context.stop);
    if (!job) return report(context, job.error());
    const auto& moments = key_moments_of(job->document);
    std::size_t frames = 0;
    for (std::size_t number = 0; number < moments.size(); ++number) {
        if (!text_of(moments[number], "frame")) continue;
        ++frames;
        const auto target =
            target_of(arguments.output, fmt::format("reel-{}-{:02}.jpg", arguments.id, number + 1));
        if (exists_already(context, target)) continue;
        context.shown.show_live(fmt::format("downloading {}", shown_path(target)));
        const auto frame = context.api.frame(arguments.id, number, context.stop);
        if (!frame) return report(context, frame.error());
        if (const auto written = write_file(target, *frame); !written) {
            return report(context, written.error());
        }
        print(context, shown_path(target));
    }
    if (frames > 0) return exit_code::ok;
    const auto status = text_or(job->document, "status", "");
    const auto suffix =
        status == "done" ? std::string{} : fmt::format(": its status is {}", one_line(status));
    return fail(
        context, exit_code::refused, fmt::format("reel {} has no frames{}", arguments.id, suffix));
}

exit_code run_download(const command_context& context, const download_arguments& arguments) {
    std::error_code failure;
    const bool is_folder = arguments.frames || arguments.output.ends_with('/');
    if (is_folder && !arguments.output.empty()) fs::create_directories(arguments.output, failure);
    if (failure) {
        const auto folder = shown_path(arguments.output);
        return fail(
            context,
            exit_code::usage,
            fmt::format("cannot create the folder {}: {}", folder, failure.message()));
    }
    return arguments.frames ? download_frames(context, arguments)
                            : download_video(context, arguments);
}

struct export_arguments {
    std::string file;
};

/// Creates a file that only its owner can read, because it receives all data of an account. Returns
/// null and sets errno if that fails or the file exists.
owned_file make_private_file(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return {};
    owned_file file{::fdopen(descriptor, "w")};
    if (!file) static_cast<void>(::close(descriptor));
    return file;
}

exit_code run_export(const command_context& context, const export_arguments& arguments) {
    owned_file opened;
    if (!arguments.file.empty()) {
        opened = make_private_file(arguments.file);
        const auto reason = errno_text(errno);
        if (!opened)
            return fail(context, exit_code::usage, fmt::format("{}: {}", arguments.file, reason));
    }
    if (!opened && context.page.table_columns) {
        // Too long for a terminal.
        return fail(context, exit_code::usage, "name a file with --output, or redirect the output");
    }
    auto* const out = opened ? opened.get() : context.out;
    const std::string target = opened ? arguments.file : "the standard output";
    const auto sink = [&](std::string_view piece) -> result<void> {
        if (std::fwrite(piece.data(), 1, piece.size(), out) == piece.size()) return {};
        return cannot_write(target, errno);
    };
    auto lines = context.api.export_account(sink, context.stop);
    if (lines && opened && std::fflush(out) != 0) lines = cannot_write(target, errno);
    context.shown.finish();
    // The next attempt must not find the file.
    if (!lines && opened) static_cast<void>(::unlink(arguments.file.c_str()));
    if (!lines) return report(context, lines.error());
    if (opened) context.shown.note(fmt::format("{}: {} lines", arguments.file, *lines));
    return exit_code::ok;
}

}  // namespace

void add_get_command(CLI::App& app, command& chosen) {
    auto [get, arguments] = add_server_command(
        app, chosen, "get", "Print the status of a reel, or its analysis", &run_get);
    auto* const id = get.add_option("ID", arguments.id, "ID printed by analyze");
    restrict_to(*id->required(), 1, job_id_max);
    add_wait_options(get, arguments.wait, arguments.timeout_seconds);
    add_json_flag(get, arguments.as_json);
    get.footer(R"(Examples:
    reels get 42
    reels get --json 42 | jq -r .result.audio.transcript)");
}

void add_list_command(CLI::App& app, command& chosen) {
    auto [list, arguments] = add_server_command(
        app, chosen, "list", "List your reels, newest first, one per post", &run_list);
    auto* const limit = list.add_option(
        "--limit", arguments.limit, "Maximum number of reels (20); with --all: per request (100)");
    restrict_to(*limit->type_name("N"), 1, page_reels_max);
    restrict_to(
        *list.add_option("--status", arguments.status, "Only reels with this status"), statuses);
    list.add_option("--author", arguments.author, "Only reels of this author")->type_name("NAME");
    list.add_flag(
        "--all", arguments.all, "List all reels, page by page, with the earlier ones of each post");
    list.add_option("--cursor", arguments.cursor, "Continue where an earlier list ended")
        ->type_name("CURSOR");
    add_json_flag(list, arguments.as_json);
    list.footer(R"(Examples:
    reels list --status error
    reels list --all --json | jq -r '.[] | .code // empty')");
}

void add_search_command(CLI::App& app, command& chosen) {
    auto [search, arguments] = add_server_command(
        app, chosen, "search", "Find reels by what is said, shown or written in them", &run_search);
    search.add_option("WORDS", arguments.words, "Words or a sentence to search for")->required();
    auto* const limit =
        search.add_option("--limit", arguments.limit, "Maximum number of hits (10)");
    restrict_to(*limit->type_name("N"), 1, hits_max);
    add_json_flag(search, arguments.as_json);
    search.footer(R"(Examples:
    reels search quick pasta for two
    reels search --limit 3 "how to grind coffee")");
}

void add_presets_command(CLI::App& app, command& chosen) {
    auto [presets, arguments] = add_server_command(
        app, chosen, "presets", "List the presets of analyze --extract", &run_presets);
    presets.add_option("PRESET", arguments.name, "Print the JSON Schema of this preset");
    add_json_flag(presets, arguments.as_json);
    presets.footer(R"(Examples:
    reels presets
    reels presets recipe > mine.json)");
}

void add_usage_command(CLI::App& app, command& chosen) {
    auto [usage, arguments] = add_server_command(
        app, chosen, "usage", "Show model calls, tokens and what they cost", &run_usage);
    auto& days = arguments.days;
    restrict_to_dates(*usage.add_option("--from", days.from, "First day (UTC)"));
    restrict_to_dates(*usage.add_option("--to", days.to, "Last day, included (UTC)"));
    add_json_flag(usage, arguments.as_json);
    usage.footer(R"(Examples:
    reels usage --from 2026-05-01 --to 2026-05-31
    reels usage --json | jq .total_cost_usd)");
    usage.parse_complete_callback([&days] {
        // Dates in this form compare as text.
        if (days.from && days.to && *days.from > *days.to) {
            throw CLI::ValidationError{
                "--from", "the first day must not be after the last day (--to)"};
        }
    });
}

void add_ask_command(CLI::App& app, command& chosen) {
    auto [ask, arguments] = add_server_command(
        app, chosen, "ask", "Answer a question from your reels, with quotations", &run_ask);
    ask.add_option("QUESTION", arguments.words, "A question in any language")->required();
    auto* const reel = ask.add_option(
        "--reel", arguments.asked.reel, "Ask only this reel (default: all finished reels)");
    restrict_to(*reel->type_name("ID"), 1, job_id_max);
    auto* const limit =
        ask.add_option("--limit", arguments.asked.limit, "Maximum number of reels to consider (8)");
    restrict_to(*limit->type_name("N")->excludes(reel), 1, reels_considered_max);
    ask.add_option("--author", arguments.asked.author, "Consider only reels of this author")
        ->type_name("NAME")
        ->excludes(reel);
    add_json_flag(ask, arguments.as_json);
    ask.footer(R"(Exits with 6 if the reels do not answer the question. Each question may cost
money; the answer says how much.

Examples:
    reels ask "how much flour does the pancake recipe need?"
    reels ask --reel 42 "which pan does she use?")");
}

void add_delete_command(CLI::App& app, command& chosen) {
    auto [remove, arguments] = add_server_command(
        app,
        chosen,
        "delete",
        "Delete reels permanently, even while they are being analysed",
        &run_delete);
    auto* const ids = remove.add_option("ID", arguments.ids, "Ids of the reels");
    restrict_to(*ids, 1, job_id_max);
    remove.add_flag("--failed", arguments.failed, "Delete all failed reels")->excludes(ids);
    remove.parse_complete_callback([&arguments] {
        if (arguments.ids.empty() && !arguments.failed) throw CLI::RequiredError{"ID or --failed"};
    });
    add_json_flag(remove, arguments.as_json);
    remove.footer(R"(There is no confirmation, and deletion cannot be undone.

Examples:
    reels delete 42
    reels delete 40 41 42
    reels delete --failed)");
}

void add_download_command(CLI::App& app, command& chosen) {
    auto [download, arguments] = add_server_command(
        app,
        chosen,
        "download",
        "Save the kept video of a reel, or the frames of its key moments",
        &run_download);
    restrict_to(
        *download.add_option("ID", arguments.id, "Id of the reel")->required(), 1, job_id_max);
    download.add_flag(
        "--frames", arguments.frames, "Save a JPEG of each key moment instead of the video");
    download
        .add_option(
            "--output",
            arguments.output,
            "File, or folder with a / at its end, to write to (reel-ID.mp4, reel-ID-NN.jpg in the "
            "current folder)")
        ->type_name("FILE");
    download.footer(
        R"(Prints the path of each saved file. A file that exists is not downloaded again.
The same command continues an interrupted download, unless the video has
changed.

Examples:
    reels download 42
    reels download 42 --frames --output pictures)");
}

void add_export_command(CLI::App& app, command& chosen) {
    auto [exported, arguments] = add_server_command(
        app, chosen, "export", "Write all data of your account as JSON lines", &run_export);
    exported
        .add_option(
            "--output",
            arguments.file,
            "Write to this file, which must not exist (standard output)")
        ->type_name("FILE");
    exported.footer(R"(Examples:
    reels export --output reels.ndjson
    reels export | jq -r 'select(.type == "reel") | .url')");
}

}  // namespace reelsd::cli
