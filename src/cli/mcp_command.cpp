#include "commands.hpp"
#include "mcp/lines.hpp"
#include "mcp/session.hpp"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace reelsd::cli {
namespace {

/// A model is told to come back sooner than it is kept waiting: many clients give up on a request
/// after a minute.
constexpr retry_policy retries_of_calls{
    .attempts_max = 3,
    .first_delay = std::chrono::seconds{1},
    .delay_max = std::chrono::seconds{10}};

/// For answers after the end of the input; who has closed it may kill us after two seconds.
constexpr std::chrono::milliseconds last_answers_time{1500};

/// A descriptor that was closed when we were started: the next that is opened would take its place.
bool is_closed(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) == -1;
}

exit_code run_mcp(const command_context& context) {
    if (is_closed(STDIN_FILENO) || is_closed(STDOUT_FILENO)) {
        context.shown.note("reels: standard input and output must be open");
        return exit_code::server_failed;
    }
    // A write to a closed pipe then returns an error.
    std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for a valid signal
    if (isatty(STDIN_FILENO) == 1) {
        context.shown.note(
            "reels mcp speaks the Model Context Protocol on standard input and output; programs "
            "start it (see reels mcp --help). Ctrl-D ends it.");
    }
    std::stop_source over;
    const std::stop_callback on_signal{context.stop, [&over] { over.request_stop(); }};
    std::atomic<bool> is_unread{false};
    const auto when_unread = [&over, &is_unread] {
        is_unread = !over.stop_requested();  // After the end, unsent answers are not an error.
        over.request_stop();
    };
    mcp::line_writer out{STDOUT_FILENO, over.get_token(), when_unread};
    mcp::api_reel_server server{context.api};
    mcp::session talk{
        server,
        {.send = [&out](std::string line) { out.write(std::move(line)); },
         .note = [&context](std::string_view line) { context.shown.note(line); }}};
    mcp::line_splitter lines{
        mcp::line_bytes_max,
        {.on_line = [&talk](std::string_view line) { talk.take(line); },
         .on_long_line = [&talk] { talk.refuse_long_line(); }}};
    const auto end = mcp::read_all(STDIN_FILENO, lines, over.get_token());
    if (context.stop.stop_requested()) {
        context.shown.note("reels: interrupted");
        return exit_code::interrupted;
    }
    // Input from a pipe may end before the last answers: quick calls still get one.
    if (end == mcp::read_end::closed && !is_unread)
        static_cast<void>(talk.wait_for_calls(last_answers_time));
    over.request_stop();
    if (is_unread) {
        context.shown.note("reels: the reader of standard output is gone");
        return exit_code::server_failed;
    }
    if (end == mcp::read_end::failed) {
        context.shown.note("reels: standard input could not be read");
        return exit_code::server_failed;
    }
    return exit_code::ok;
}

}  // namespace

void add_mcp_command(CLI::App& app, command& chosen) {
    auto* const mcp =
        app.add_subcommand("mcp", "Serve the Model Context Protocol on standard input and output");
    mcp->footer(R"(For programs that let an AI model use tools. These programs start the server
themselves. Most of them are configured like this:
    {"mcpServers": {"reels": {
        "command": "reels", "args": ["mcp"],
        "env": {"REELS_SERVER": "http://127.0.0.1:8080",
                "REELS_TOKEN": "rls_..."}}}}
The tools: analyze_reel, get_reel, search_reels, list_reels, usage.
The server ends when its standard input ends. The analysis of submitted reels
continues.)");
    mcp->callback(
        [&chosen] { chosen = server_command{.run = run_mcp, .retries = retries_of_calls}; });
}

}  // namespace reelsd::cli
