#include "documents.hpp"
#include "options.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::cli {
namespace {

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
    if (!answer) return report(context, answer.error());
    if (arguments.as_json) {
        print_json(context, answer->body);
    } else {
        print(context, render_answer(answer->document, context.page));
    }
    return is_answered(answer->document) ? exit_code::ok : exit_code::no_answer;
}

}  // namespace

void add_ask_command(CLI::App& app, command& chosen) {
    auto [ask, arguments] = add_server_command(
        app, chosen, "ask", "Answer a question from your reels, with quotations", &run_ask);
    ask.add_option("QUESTION", arguments.words, "A question in any language")->required();
    auto* const reel =
        ask.add_option("--reel", arguments.asked.reel, "Ask only this reel (the library)");
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

}  // namespace reelsd::cli
