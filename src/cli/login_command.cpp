#include "commands.hpp"
#include "options.hpp"
#include "text.hpp"
#include <reelsd/base/interrupt.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <iostream>
#include <stop_token>
#include <string>
#include <system_error>

namespace reelsd::cli {
namespace {

namespace fs = std::filesystem;

/// Hides what is typed until it is destroyed. A signal restores the terminal, too, and ends the
/// program, because a read from a terminal cannot be stopped. No echo is changed without a
/// terminal.
class hidden_input {
public:
    hidden_input()
        : is_terminal_{::tcgetattr(STDIN_FILENO, &before_) == 0},
          on_signal_{interrupted_.token(), [this] {
                         show();
                         ::_exit(static_cast<int>(exit_code::interrupted));
                     }} {
        if (!is_terminal_) return;
        auto silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~hidden_input() { show(); }

private:
    void show() const {
        if (!is_terminal_) return;
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
        std::fputs("\n", stderr);
    }

    termios before_{};
    bool is_terminal_;
    interrupt interrupted_;
    std::stop_callback<std::function<void()>> on_signal_;
};

/// The next line of standard input, after a question on a terminal.
std::string answer_to(const std::string& question) {
    if (::isatty(STDIN_FILENO) == 1) std::fputs(question.c_str(), stderr);
    std::string line;
    std::getline(std::cin, line);
    return line;
}

/// `text` as a TOML string. Addresses and tokens have neither quotation marks nor backslashes.
result<std::string> toml_string(std::string_view text) {
    if (text.find_first_of("\"\\") == std::string_view::npos) return fmt::format("\"{}\"", text);
    return error{errc::invalid_argument, "an address or a token has no quotation marks"};
}

result<void> store(const connection_settings& settings, const fs::path& file) {
    std::string text;
    for (const auto& [name, value] :
         {std::pair{"server", settings.server},
          std::pair{"token", settings.token},
          std::pair{"ca-file", settings.ca_file}}) {
        if (value.empty()) continue;
        const auto shown = toml_string(value);
        if (!shown) return shown.error();
        text += fmt::format("{} = {}\n", name, *shown);
    }
    const auto failed = [&file](int reason) {
        return error{
            errc::storage_failed, fmt::format("{}: {}", file.string(), errno_text(reason))};
    };
    std::error_code failure;
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), failure);
    if (failure) return failed(failure.value());
    // A link to a file elsewhere is kept, also while that file does not exist.
    auto target = fs::canonical(file, failure);
    if (failure) target = file.parent_path() / fs::read_symlink(file, failure);
    if (failure) target = file;
    // In place of the old file as a whole, so that no reader sees half a file or an open one.
    const auto part = target.string() + ".part";
    static_cast<void>(::unlink(part.c_str()));
    const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return failed(errno);
    const auto written = ::write(descriptor, text.data(), text.size());
    const int reason = errno;
    const bool is_whole = written == static_cast<ssize_t>(text.size());
    if (::close(descriptor) != 0 || !is_whole) return failed(is_whole ? errno : reason);
    if (::rename(part.c_str(), target.c_str()) != 0) return failed(errno);
    return {};
}

exit_code refuse(std::string_view why) {
    std::fputs(fmt::format("reels: {}\n", why).c_str(), stderr);
    return exit_code::usage;
}

/// Asks for what the command line does not have, checks it at the server and stores it.
exit_code log_in(settings_source given, const fs::path& file, std::FILE* out) {
    std::error_code failure;
    settings_source known;
    if (fs::exists(file, failure)) {
        auto stored = settings_from_file(file);
        if (!stored) return refuse(stored.error().detail());
        known = *std::move(stored);
    }
    const auto environment = settings_from_environment();
    if (!given.server) given.server = environment.server;
    const auto usual = known.server.value_or(std::string{default_server});
    if (!given.server && ::isatty(STDIN_FILENO) == 1)
        given.server = answer_to(fmt::format("Server [{}]: ", usual));
    if (!given.server || given.server->empty()) given.server = usual;
    if (!given.token) {
        const hidden_input hidden;
        given.token = answer_to(fmt::format("Token, from {}/tokens: ", one_line(*given.server)));
        if (given.token->empty() && ::isatty(STDIN_FILENO) == 0)
            return refuse("no token on standard input; use: reels login < token.txt");
    }
    settings_source rest;
    rest.ca_file = environment.ca_file ? environment.ca_file : known.ca_file;
    auto settings = merged(given, {}, rest);
    if (!settings) return refuse(settings.error().detail());
    // Later commands run in other folders.
    if (!settings->ca_file.empty()) settings->ca_file = fs::absolute(settings->ca_file).string();

    const interrupt interrupted;
    progress shown{stderr, progress_style::plain, text_columns_of(stderr)};
    const api_client api{*settings, {}, [&shown](std::string_view text) { shown.note(text); }};
    const command_context context{
        .api = api, .shown = shown, .out = out, .page = {}, .stop = interrupted.token()};
    const auto listed = api.list(list_query{}, context.stop);
    if (!listed) return report(context, listed.error());
    if (const auto stored = store(*settings, file); !stored) return refuse(stored.error().detail());
    print(context, fmt::format("The token works. Stored in {}", one_line(file.string())));
    return exit_code::ok;
}

}  // namespace

void add_login_command(CLI::App& app, command_line& line) {
    auto* const login =
        app.add_subcommand("login", "Check server and token, and store them for later commands");
    login->callback([&line] {
        line.chosen = local_command{[flags = line.flags, config = line.config](std::FILE* out) {
            const auto file = config ? config : default_config_path();
            if (!file) return refuse("no home directory: name a file with --config");
            return log_in(flags, *file, out);
        }};
    });
    login->footer(R"(Asks for the server and the token, unless they are given. The token can also
come from standard input, and is not shown while it is typed. The configuration
file is readable by its owner alone; other settings in it are kept.

Examples:
    reels login
    reels login --server https://reels.example.org < token.txt)");
}

}  // namespace reelsd::cli
