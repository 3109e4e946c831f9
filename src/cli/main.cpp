#include "commands.hpp"
#include "text.hpp"
#include <reelsd/base/interrupt.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>

namespace reelsd::cli {
namespace {

result<connection_settings> connection_of(const command_line& line) {
    settings_source from_file;
    auto chosen = line.config;
    if (!chosen) {
        auto existing = existing_config();
        if (!existing) return existing.error();
        chosen = *std::move(existing);
    }
    if (chosen) {
        const std::filesystem::path file{*chosen};
        auto settings = settings_from_file(file);
        if (!settings) return settings.error();
        from_file = *std::move(settings);
        const auto warning = open_token_warning(from_file, file);
        if (!warning.empty()) {
            std::fputs(fmt::format("reels: warning: {}\n", warning).c_str(), stderr);
        }
    }
    return merged(line.flags, settings_from_environment(), from_file);
}

/// Writes buffered output, which fails on a full disk.
exit_code flushed(exit_code code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fputs("reels: the output could not be written\n", stderr);
    return code == exit_code::ok ? exit_code::server_failed : code;
}

exit_code run_on_server(const server_command& chosen, connection_settings connection) {
    const auto style =
        supports_control_sequences(stderr) ? progress_style::live : progress_style::plain;
    const render_options page{
        .columns = text_columns_of(stdout),
        .table_columns = columns_of_terminal(stdout),
        .allowed = colours_for(stdout)};
    const interrupt interrupted;
    progress shown{stderr, style, text_columns_of(stderr)};
    const api_client api{std::move(connection), chosen.retries, [&shown](std::string_view text) {
                             shown.note(text);
                         }};
    return chosen.run(
        {.api = api, .shown = shown, .out = stdout, .page = page, .stop = interrupted.token()});
}

exit_code run(int argc, const char* const* argv) {
    const auto parsed = parse_command_line(argc, argv);
    if (const auto* code = std::get_if<exit_code>(&parsed)) return flushed(*code);
    const auto& line = std::get<command_line>(parsed);
    if (const auto* local = std::get_if<local_command>(&line.chosen)) {
        return flushed((*local)(stdout));
    }
    auto connection = connection_of(line);
    if (!connection) {
        std::fputs(fmt::format("reels: {}\n", connection.error().detail()).c_str(), stderr);
        return exit_code::usage;
    }
    return flushed(run_on_server(std::get<server_command>(line.chosen), *std::move(connection)));
}

}  // namespace
}  // namespace reelsd::cli

int main(int argc, char** argv) {
    using reelsd::cli::exit_code;
    try {
        return static_cast<int>(reelsd::cli::run(argc, argv));
    } catch (const std::exception& why) {
        std::fprintf(stderr, "reels: %s\n", why.what());
        return static_cast<int>(exit_code::server_failed);
    }
}
