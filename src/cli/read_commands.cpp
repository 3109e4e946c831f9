#include "options.hpp"
#include "output.hpp"
#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>

// The commands that only read: get, list, search, presets and usage.
namespace reelsd::cli {
namespace {

struct get_arguments {
    std::int64_t id = 0;
    bool wait = false;
    bool as_json = false;
    std::int64_t timeout_seconds = wait_default.count();
};

exit_code run_get(const command_context& context, const get_arguments& arguments) {
    const auto form = form_of(arguments.as_json);
    if (arguments.wait) {
        const std::chrono::seconds at_most{arguments.timeout_seconds};
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
    return text;
}

std::string empty_list_text(const list_arguments& arguments) {
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
        .latest = !arguments.all};
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
        // Also with --json: the array has no place for it.
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
    if (!hits) return report(context, hits.error());
    if (arguments.as_json) {
        print_json(context, hits->body);
    } else if (hits->document.empty()) {
        context.shown.note(
            "Nothing found. Only finished reels can be found. To see all reels: reels list");
    } else {
        print(context, render_hits(hits->document, context.page));
    }
    return exit_code::ok;
}

struct presets_arguments {
    std::string name;  ///< Empty: all.
    bool as_json = false;
};

/// The presets, or the schema of one, which a user may change and pass to analyze.
exit_code run_presets(const command_context& context, const presets_arguments& arguments) {
    const auto presets = context.api.presets(context.stop);
    if (!presets) return report(context, presets.error());
    if (arguments.name.empty()) {
        if (arguments.as_json) {
            print_json(context, presets->body);
        } else {
            print(context, render_presets(presets->document, context.page));
        }
        return exit_code::ok;
    }
    for (const auto& preset : presets->document) {
        if (text_of(preset, "name") != arguments.name) continue;
        constexpr int indent = 2;
        const auto schema = member(preset, "schema");
        print_json(context, schema.dump(indent, ' ', false, json::error_handler_t::replace));
        return exit_code::ok;
    }
    const auto name = printable(arguments.name, line_breaks::to_blank);
    context.shown.finish();
    context.shown.note(fmt::format("reels: no preset \"{}\"; list them with: reels presets", name));
    return exit_code::refused;
}

struct usage_arguments {
    usage_query days;
    bool as_json = false;
};

exit_code run_usage(const command_context& context, const usage_arguments& arguments) {
    const auto usage = context.api.usage(arguments.days, context.stop);
    if (!usage) return report(context, usage.error());
    if (arguments.as_json) {
        print_json(context, usage->body);
    } else {
        print(context, render_usage(usage->document, arguments.days, context.page));
    }
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

}  // namespace reelsd::cli
