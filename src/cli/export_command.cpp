#include "options.hpp"
#include "output.hpp"
#include "owned_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

namespace reelsd::cli {
namespace {

struct export_arguments {
    std::string file;
};

/// Creates a file that only its owner can read, because it receives all data of an account. Returns
/// null and sets errno if that fails, also if the file exists.
owned_file make_private_file(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return {};
    owned_file file{::fdopen(descriptor, "w")};
    if (!file) static_cast<void>(::close(descriptor));
    return file;
}

exit_code run_export(const command_context& context, const export_arguments& arguments) {
    owned_file opened;
    if (!arguments.file.empty()) {
        opened = make_private_file(arguments.file);
        if (!opened) {
            context.shown.note(
                fmt::format("{}: {}", arguments.file, std::generic_category().message(errno)));
            return exit_code::usage;
        }
    }
    if (!opened && context.page.table_columns) {
        // Too long for a terminal.
        context.shown.note("name a file with --output, or redirect the output");
        return exit_code::usage;
    }
    auto* const out = opened ? opened.get() : context.out;
    const auto sink = [out](std::string_view piece) {
        return std::fwrite(piece.data(), 1, piece.size(), out) == piece.size();
    };
    const auto lines = context.api.export_account(sink, context.stop);
    context.shown.finish();
    const bool is_whole = lines && (!opened || std::fflush(out) == 0);
    // The next attempt must not find the file.
    if (!is_whole && opened) static_cast<void>(::unlink(arguments.file.c_str()));
    if (!lines) return report(context, lines.error());
    if (!is_whole) {
        context.shown.note("the export could not be written");
        return exit_code::server_failed;
    }
    if (opened) context.shown.note(fmt::format("{}: {} lines", arguments.file, *lines));
    return exit_code::ok;
}

}  // namespace

void add_export_command(CLI::App& app, command& chosen) {
    auto [exported, arguments] = add_server_command(
        app, chosen, "export", "Write all data of your account as JSON lines", &run_export);
    exported
        .add_option(
            "--output",
            arguments.file,
            "Write to this file, which must not exist (standard output)")
        ->type_name("FILE");
    exported.footer(R"(Examples:
    reels export --output reels.ndjson
    reels export | jq -r 'select(.type == "reel") | .url')");
}

}  // namespace reelsd::cli
