#include "options.hpp"
#include "output.hpp"

#include <fmt/format.h>

namespace reelsd::cli {
namespace {

constexpr int hits_max = 50;  ///< The contract's.

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

}  // namespace

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

}  // namespace reelsd::cli
