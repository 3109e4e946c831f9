#include "options.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <array>

namespace reelsd::cli {
namespace {

constexpr std::array statuses{"pending", "processing", "done", "error"};

/// The contract's bound and default of one page.
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

/// Merges all pages: the reels of the first page and of the following ones.
result<reel_page> with_pages_behind(
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

/// The same list from where this page ended; options that were given stay.
std::string command_for_rest(const list_arguments& arguments, const std::string& cursor) {
    auto text = fmt::format("reels list --cursor {}", cursor);
    if (arguments.limit) text += fmt::format(" --limit {}", *arguments.limit);
    if (arguments.status) text += fmt::format(" --status {}", *arguments.status);
    return text;
}

void say_that_it_is_empty(const command_context& context, const list_arguments& arguments) {
    context.shown.note(
        arguments.status   ? fmt::format("No reels with the status {}.", *arguments.status)
        : arguments.cursor ? std::string{"No more reels."}
                           : std::string{"No reels yet. Queue one with: reels analyze URL"});
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
        listed = with_pages_behind(context, query, *std::move(listed));
    }
    if (!listed) return report(context, listed.error());

    const auto& reels = listed->reels;
    context.shown.finish();
    if (arguments.as_json) {
        print_json(context, reels.body);
    } else if (reels.document.empty()) {
        say_that_it_is_empty(context, arguments);
    } else {
        print(context, render_reels(reels.document, context.page));
    }
    if (listed->next_cursor) {
        // Also beside JSON: an array has no place for it.
        context.shown.note(
            fmt::format("More: {}", command_for_rest(arguments, *listed->next_cursor)));
    }
    return exit_code::ok;
}

}  // namespace

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

}  // namespace reelsd::cli
