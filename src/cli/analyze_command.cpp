#include "analyze_list.hpp"
#include "link_input.hpp"
#include "options.hpp"
#include "output.hpp"
#include "page.hpp"
#include "text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::cli {
namespace {

/// As much as a hundred thousand links.
constexpr std::size_t input_bytes_max = std::size_t{8} * 1024 * 1024;
/// Added to the usual wait for each link beyond those of an hour.
constexpr std::chrono::seconds wait_per_link{60};

struct analyze_arguments {
    std::vector<std::string> links;  ///< None: they are read from standard input.
    submission wanted;               ///< But for the link.
    bool wait = false;
    bool as_json = false;
    std::int64_t timeout_seconds = wait_default.count();
};

analyze_list list_of(const analyze_arguments& arguments) {
    analyze_list list{
        .links = arguments.links,
        .fresh = arguments.wanted.fresh,
        .idempotency_key = arguments.wanted.idempotency_key};
    if (arguments.wait) {
        list.wait = std::chrono::seconds{arguments.timeout_seconds};
        if (*list.wait == wait_default) {
            list.wait = std::max(
                wait_default, static_cast<std::int64_t>(list.links.size()) * wait_per_link);
        }
    }
    return list;
}

exit_code run_analyze_one(const command_context& context, const analyze_arguments& arguments) {
    const auto form = form_of(arguments.as_json);
    auto wanted = arguments.wanted;
    const auto& argument = arguments.links.front();
    const bool is_file = is_video_file(argument);
    if (!is_file) wanted.link = argument;
    const auto queued =
        is_file ? upload(context, argument, wanted) : context.api.submit(wanted, context.stop);
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

/// Submits the links of standard input. A repeat with the same links continues.
exit_code run_analyze_input(const command_context& context, analyze_arguments arguments) {
    if (isatty(STDIN_FILENO) == 0) arguments.links = links_in(read_text(stdin, input_bytes_max));
    if (arguments.links.empty()) {
        context.shown.note(
            "reels: no links: give them as arguments, or one per line on standard input");
        return exit_code::usage;
    }
    const bool is_resumable = !arguments.wanted.fresh;
    if (arguments.links.size() > 1) {
        auto list = list_of(arguments);
        list.is_resumable = is_resumable;
        return run_analyze_list(context, list, form_of(arguments.as_json));
    }
    if (is_resumable && !arguments.wanted.idempotency_key)
        arguments.wanted.idempotency_key = key_of_links(arguments.links);
    return run_analyze_one(context, arguments);
}

exit_code run_analyze(const command_context& context, const analyze_arguments& arguments) {
    const bool is_one_file = arguments.links.size() == 1 && is_video_file(arguments.links.front());
    if (!arguments.wanted.link.empty() && !is_one_file) {
        context.shown.note("reels: --link requires exactly one file");
        return exit_code::usage;
    }
    if (arguments.links.empty()) return run_analyze_input(context, arguments);
    if (arguments.links.size() == 1) return run_analyze_one(context, arguments);
    return run_analyze_list(context, list_of(arguments), form_of(arguments.as_json));
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
    analyze.add_option(
        "URL|FILE",
        arguments.links,
        "Links to reels, or video files; without any, links are read from standard input");
    analyze
        .add_option(
            "--link", arguments.wanted.link, "The link of the post that the file is the video of")
        ->type_name("URL");
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
    reels analyze --wait < links.txt
    reels analyze --wait clip.mp4 *.mov

Reels beyond the limit of jobs at the same time wait for their turn on the
server. Repeating a command with the same links on standard input continues an
interrupted one, within 24 hours; with --fresh it starts again.)");
}

}  // namespace reelsd::cli
