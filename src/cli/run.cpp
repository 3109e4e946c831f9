#include "run.hpp"

#include "command_line.hpp"
#include "interrupt.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace reelsd::cli {
namespace {

/// Lines longer than this are tiring to read, however wide the terminal is.
constexpr std::size_t columns_max = 110;
constexpr std::size_t columns_default = 80;

/// Whether `out` is a terminal that understands more than plain text.
bool is_lively(std::FILE* out) {
    const char* const terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): no threads
    return isatty(fileno(out)) == 1 && terminal != nullptr && std::string_view{terminal} != "dumb";
}

std::size_t columns_of_terminal(std::FILE* out) {
    winsize size{};
    const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : columns_default;
}

result<connection_settings> connection_of(const command_line& line) {
    settings_source from_file;
    const auto fallback = default_config_path();
    if (line.config || (fallback && std::filesystem::exists(*fallback))) {
        auto read = settings_from_file(line.config.value_or(fallback.value_or("")));
        if (!read) return read.error();
        from_file = *std::move(read);
    }
    return merged(line.flags, settings_from_environment(), from_file);
}

/// What was printed may still sit in a buffer: a full disk shows here.
exit_code flushed(exit_code code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fputs("reels: the output could not be written\n", stderr);
    return code == exit_code::ok ? exit_code::server_failed : code;
}

}  // namespace

exit_code run(int argc, const char* const* argv) {
    const auto parsed = parse_command_line(argc, argv);
    if (const auto* over = std::get_if<exit_code>(&parsed)) return *over;
    const auto& line = std::get<command_line>(parsed);
    auto connection = connection_of(line);
    if (!connection) {
        std::fputs(fmt::format("reels: {}\n", connection.error().detail()).c_str(), stderr);
        return exit_code::usage;
    }
    const auto style = is_lively(stderr) ? progress_style::live : progress_style::plain;
    const render_options page{
        .columns = std::min(columns_of_terminal(stdout), columns_max),
        .headings = is_lively(stdout) ? emphasis::bold : emphasis::none};

    const interrupt asked;
    progress shown{stderr, style, columns_of_terminal(stderr)};
    const api_client api{*std::move(connection), retry_policy{}, [&shown](std::string_view why) {
                             shown.note(why);
                         }};
    return flushed(line.chosen(
        {.api = api, .shown = shown, .out = stdout, .page = page, .stop = asked.token()}));
}

}  // namespace reelsd::cli
