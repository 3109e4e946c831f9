#include "analyze_list.hpp"
#include "job_wait.hpp"
#include "links.hpp"
#include "options.hpp"
#include "output.hpp"
#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <string>

namespace reelsd::cli {
namespace {

/// About a hundred thousand links.
constexpr std::size_t input_bytes_max = std::size_t{8} * 1024 * 1024;

exit_code run_analyze_one(const command_context& context, const analyze_arguments& arguments) {
    const auto form = form_of(arguments.as_json);
    auto options = arguments.options;
    const auto& argument = arguments.links.front();
    const bool is_file = is_video_file(argument);
    if (!is_file) options.link = argument;
    const auto queued =
        is_file ? upload(context, argument, options) : context.api.submit(options, context.stop);
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
    const auto* const state = has_ended(queued->document) ? "Analysed before" : "Queued";
    context.shown.note(fmt::format("{}. See it with: reels get {}", state, *id));
    return exit_code::ok;
}

/// Submits the links of standard input. The same command with the same links continues.
exit_code run_analyze_input(const command_context& context, analyze_arguments arguments) {
    if (isatty(STDIN_FILENO) == 0) arguments.links = links_in(read_text(stdin, input_bytes_max));
    if (arguments.links.empty()) {
        context.shown.note(
            "reels: no links: give them as arguments, or one per line on standard input");
        return exit_code::usage;
    }
    arguments.is_resumable = !arguments.options.fresh;
    if (arguments.links.size() > 1) return run_analyze_list(context, arguments);
    auto& key = arguments.options.idempotency_key;
    if (arguments.is_resumable && !key) key = key_of_links(arguments.links);
    return run_analyze_one(context, arguments);
}

exit_code run_analyze(const command_context& context, const analyze_arguments& arguments) {
    const bool is_one_file = arguments.links.size() == 1 && is_video_file(arguments.links.front());
    if (!arguments.options.link.empty() && !is_one_file) {
        context.shown.note("reels: --link requires exactly one file");
        return exit_code::usage;
    }
    if (arguments.links.empty()) return run_analyze_input(context, arguments);
    if (arguments.links.size() == 1) return run_analyze_one(context, arguments);
    return run_analyze_list(context, arguments);
}

/// The contract's bounds on an Idempotency-Key; empty for a valid one.
std::string idempotency_key_error(const std::string& key) {
    constexpr std::size_t key_bytes_max = 255;
    if (is_visible_ascii(key) && !key.empty() && key.size() <= key_bytes_max) return {};
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
            "--link", arguments.options.link, "Link of the post that the file is the video of")
        ->type_name("URL");
    add_wait_options(analyze, arguments.wait, arguments.timeout_seconds);
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

Reels beyond the limit of jobs at the same time wait for their turn on the
server. Repeating a command with the same links on standard input continues an
interrupted one, within 24 hours; with --fresh it starts again.)");
}

}  // namespace reelsd::cli
