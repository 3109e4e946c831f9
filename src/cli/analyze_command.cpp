#include "analyze_list.hpp"
#include "options.hpp"
#include "output.hpp"
#include "page.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::cli {
namespace {

struct analyze_arguments {
    std::vector<std::string> links;
    submission wanted;  ///< But for the link.
    bool wait = false;
    bool as_json = false;
    std::int64_t timeout_seconds = wait_default.count();
};

analyze_list list_of(const analyze_arguments& arguments) {
    analyze_list list{
        .links = arguments.links,
        .fresh = arguments.wanted.fresh,
        .idempotency_key = arguments.wanted.idempotency_key};
    if (arguments.wait) list.wait = std::chrono::seconds{arguments.timeout_seconds};
    return list;
}

exit_code run_analyze(const command_context& context, const analyze_arguments& arguments) {
    const auto form = form_of(arguments.as_json);
    if (arguments.links.size() > 1) return run_analyze_list(context, list_of(arguments), form);
    auto wanted = arguments.wanted;
    wanted.link = arguments.links.front();
    const auto queued = context.api.submit(wanted, context.stop);
    if (!queued) return report(context, queued.error());
    const auto id = integer_of(queued->document, "id");
    if (!id) {
        return report(
            context,
            error{errc::connection_failed, "the server queued the reel but returned no id"});
    }
    const auto status = text_of(queued->document, "status").value_or("pending");
    if (arguments.wait) {
        context.shown.show(
            fmt::format("reel {}: {}", *id, printable(status, line_breaks::to_blank)));
        const std::chrono::seconds at_most{arguments.timeout_seconds};
        return wait_and_print_job(context, *id, at_most, form);
    }
    if (form == output_form::json) {
        print_json(context, queued->body);
        return exit_code::ok;
    }
    // The id alone on standard output, for scripts: id=$(reels analyze ...).
    print(context, fmt::format("{}", *id));
    const bool finished = status == "done" || status == "error";
    context.shown.note(
        fmt::format("{}. See it with: reels get {}", finished ? "Analysed before" : "Queued", *id));
    return exit_code::ok;
}

/// The contract's bounds on an Idempotency-Key.
std::string idempotency_key_objection(const std::string& key) {
    constexpr std::size_t key_bytes_max = 255;
    const bool visible =
        std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7F; });
    if (visible && !key.empty() && key.size() <= key_bytes_max) return {};
    return "a key is 1 to 255 visible ASCII characters without blanks";
}

}  // namespace

void add_analyze_command(CLI::App& app, command& chosen) {
    auto [analyze, arguments] =
        add_server_command(app, chosen, "analyze", "Queue reels for analysis", &run_analyze);
    analyze.add_option("URL", arguments.links, "Links to reels")->required();
    add_wait_options(analyze, arguments.wait, arguments.timeout_seconds);
    analyze.add_flag(
        "--fresh",
        arguments.wanted.fresh,
        "Analyse again, even if a recent result could be reused");
    analyze
        .add_option(
            "--idempotency-key",
            arguments.wanted.idempotency_key,
            "A repeat with the same key within 24 hours is not queued twice (random)")
        ->type_name("KEY")
        ->check(
            CLI::Validator{[](std::string& key) { return idempotency_key_objection(key); }, ""});
    add_json_flag(analyze, arguments.as_json);
    analyze.footer(R"(Examples:
    reels analyze --wait https://www.instagram.com/reel/DYa0IXPgnP5/
    id=$(reels analyze https://www.instagram.com/reel/DYa0IXPgnP5/)
    xargs reels analyze --json < links.txt)");
}

}  // namespace reelsd::cli
