#include "commands.hpp"
#include "mcp/lines.hpp"
#include "mcp/session.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>

namespace reelsd::cli {
namespace {

/// Short delays, because many clients abandon a request after a minute.
constexpr retry_policy retries_of_calls{
    .attempts_max = 3,
    .first_delay = std::chrono::seconds{1},
    .delay_max = std::chrono::seconds{10}};

/// Time for answers after the end of the input. Clients may kill this process after two seconds.
constexpr std::chrono::milliseconds last_answers_time{1500};

exit_code run_mcp(const command_context& context) {
    constexpr auto broken = exit_code::server_failed;
    if (mcp::is_closed(STDIN_FILENO) || mcp::is_closed(STDOUT_FILENO))
        return fail(context, broken, "standard input and output must be open");
    // Writing to a closed pipe must return an error.
    std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for a valid signal
    if (isatty(STDIN_FILENO) == 1) {
        context.shown.note(
            "reels mcp serves the Model Context Protocol on standard input and output. Programs "
            "start it: see reels mcp --help. Ctrl-D ends it.");
    }
    std::stop_source ending;
    const std::stop_callback on_signal{context.stop, [&ending] { ending.request_stop(); }};
    std::atomic<bool> is_output_closed{false};
    const auto on_output_closed = [&ending, &is_output_closed] {
        is_output_closed =
            !ending.stop_requested();  // After a stop, unsent answers are not an error.
        ending.request_stop();
    };
    mcp::line_writer out{STDOUT_FILENO, ending.get_token(), on_output_closed};
    mcp::session session{
        context.api,
        {.send = [&out](std::string line) { out.write(std::move(line)); },
         .note = [&context](std::string_view line) { context.shown.note(line); }}};
    mcp::line_splitter lines{
        mcp::line_bytes_max,
        {.on_line = [&session](std::string_view line) { session.take(line); },
         .on_long_line = [&session] { session.refuse_long_line(); }}};
    const auto feed = [&lines](std::string_view bytes) { lines.feed(bytes); };
    const auto end = mcp::read_all(STDIN_FILENO, feed, ending.get_token());
    if (end == mcp::read_end::closed) lines.finish();
    if (context.stop.stop_requested()) return fail(context, exit_code::interrupted, "interrupted");
    // Quick calls still get their answers after the end of the input.
    if (end == mcp::read_end::closed && !is_output_closed)
        static_cast<void>(session.wait_for_calls(last_answers_time));
    ending.request_stop();
    if (is_output_closed) return fail(context, broken, "standard output was closed");
    if (end == mcp::read_end::failed)
        return fail(context, broken, "standard input could not be read");
    return exit_code::ok;
}

}  // namespace

void add_mcp_command(CLI::App& app, command& chosen) {
    auto* const mcp =
        app.add_subcommand("mcp", "Serve the Model Context Protocol on standard input and output");
    mcp->footer(R"(Programs that let an AI model use tools start this server themselves. Most of
them are configured like this:
    {"mcpServers": {"reels": {
        "command": "reels", "args": ["mcp"],
        "env": {"REELS_SERVER": "http://127.0.0.1:8080",
                "REELS_TOKEN": "rls_..."}}}}
The tools: analyze_reel, get_reel, search_reels, ask_reels, list_reels, usage.
The server ends when its standard input ends. The analysis of submitted reels
continues.)");
    mcp->callback(
        [&chosen] { chosen = server_command{.run = run_mcp, .retries = retries_of_calls}; });
}

}  // namespace reelsd::cli
