#include "commands.hpp"
#include "options.hpp"
#include "text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <utility>

// Commands that show one reel elsewhere: in the browser, in a player.
namespace reelsd::cli {
namespace {

/// Starts the user's browser, if there is one. Its output would mix with that of the shell.
void open_in_browser(std::string link) {
    std::string opener = environment_variable("BROWSER").value_or("xdg-open");
    const std::array<char*, 3> arguments{opener.data(), link.data(), nullptr};
    posix_spawn_file_actions_t actions;
    if (::posix_spawn_file_actions_init(&actions) != 0) return;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    // This process blocks the signals that end it, see interrupt.
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t started = 0;
    // Without a browser the printed link suffices.
    static_cast<void>(
        ::posix_spawnp(&started, opener.c_str(), &actions, &attributes, arguments.data(), environ));
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
}

struct open_arguments {
    std::int64_t id = 0;
};

exit_code run_open(const command_context& context, const open_arguments& arguments) {
    const auto job = context.api.job(arguments.id, std::chrono::seconds{0}, context.stop);
    if (!job) return report(context, job.error());
    const auto link = fmt::format("{}/reels/{}", context.api.server(), arguments.id);
    print(context, link);
    if (context.page.table_columns) open_in_browser(link);
    return exit_code::ok;
}

constexpr std::array subtitle_formats{"srt", "vtt"};

struct subtitles_arguments {
    std::int64_t id = 0;
    std::string format = "srt";
};

exit_code run_subtitles(const command_context& context, const subtitles_arguments& arguments) {
    const auto file = context.api.subtitles(arguments.id, arguments.format, context.stop);
    if (!file && file.error().code() == errc::not_found) {
        auto text =
            fmt::format("reel {} has no subtitles: {}", arguments.id, file.error().detail());
        return report(context, error{errc::not_found, std::move(text)});
    }
    if (!file) return report(context, file.error());
    print(context, printable(*file, line_breaks::keep));
    return exit_code::ok;
}

}  // namespace

void add_open_command(CLI::App& app, command& chosen) {
    auto [open, arguments] = add_server_command(
        app,
        chosen,
        "open",
        "Print the link of a reel's page, and open it in a browser",
        &run_open);
    restrict_to(*open.add_option("ID", arguments.id, "Id of the reel")->required(), 1, job_id_max);
    open.footer(R"(The browser is BROWSER, or else xdg-open. In a pipe, the link is only printed.

Examples:
    reels open 42)");
}

void add_subtitles_command(CLI::App& app, command& chosen) {
    auto [subtitles, arguments] = add_server_command(
        app, chosen, "subtitles", "Print the speech of a reel as subtitles", &run_subtitles);
    restrict_to(
        *subtitles.add_option("ID", arguments.id, "Id of the reel")->required(), 1, job_id_max);
    restrict_to(
        *subtitles.add_option("--format", arguments.format, "Format of the subtitles (srt)"),
        subtitle_formats);
    subtitles.footer(R"(Examples:
    reels subtitles 42 > coffee.srt
    reels subtitles 42 --format vtt)");
}

}  // namespace reelsd::cli
