#include "session.hpp"
#include <reelsd/db/client_program.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

extern char** environ;  // NOLINT: POSIX wants it declared by hand.

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;

struct options_deleter {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using options_ptr = std::unique_ptr<PQconninfoOption, options_deleter>;

/// Discards libpq's message: it quotes the text, which may contain the password.
result<options_ptr> parse(const std::string& connection_string) {
    char* message = nullptr;
    options_ptr options{PQconninfoParse(connection_string.c_str(), &message)};
    PQfreemem(message);
    if (options) return options;
    return error{errc::invalid_argument, "the database URL is no libpq connection string"};
}

std::string word(std::string_view keyword, std::string_view value) {
    std::string text = fmt::format("{}='", keyword);
    for (const char c : value) {
        if (c == '\'' || c == '\\') text.push_back('\\');
        text.push_back(c);
    }
    return text + "'";
}

/// Variables that libpq also reads in this process: its own, and HOME for its files.
bool is_for_libpq(std::string_view variable) {
    return variable.starts_with("PG") || variable.starts_with("HOME=");
}

/// Passes an option in an environment variable if there is one. Other options go into the
/// connection string if they are not secret, and are refused otherwise.
result<void> hand_on(const PQconninfoOption& option, client_program& to) {
    if (option.val == nullptr) return {};
    const std::string_view keyword{option.keyword};
    if (option.envvar != nullptr && keyword != "dbname") {
        to.environment.push_back(fmt::format("{}={}", option.envvar, option.val));
        return {};
    }
    if (*option.dispchar == '*') {
        return error{
            errc::invalid_argument,
            fmt::format("the database URL's {} cannot be handed to another program", keyword)};
    }
    to.database += (to.database.empty() ? "" : " ") + word(keyword, option.val);
    return {};
}

result<client_program> describe_access(const std::string& connection_string) {
    const auto options = parse(connection_string);
    if (!options) return options.error();
    client_program access;
    // As for this program's sessions: a server that vanished silently is detected within about
    // 25 s. The operator's values follow and override these.
    access.database =
        "keepalives_idle='10' keepalives_interval='5' keepalives_count='3' "
        "tcp_user_timeout='15000'";
    for (auto* one = options->get(); one->keyword != nullptr; ++one) {
        if (const auto handed = hand_on(*one, access); !handed) return handed.error();
    }
    std::set<std::string, std::less<>> given{"PATH", "LC_ALL"};
    for (const auto& one : access.environment) given.insert(one.substr(0, one.find('=')));
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view variable{*one};
        if (!is_for_libpq(variable) || given.contains(variable.substr(0, variable.find('='))))
            continue;
        access.environment.emplace_back(variable);
    }
    access.environment.emplace_back("PATH=/usr/bin:/bin");
    access.environment.emplace_back("LC_ALL=C");
    return access;
}

bool is_program(const fs::path& file) {
    return ::access(file.c_str(), X_OK) == 0;
}

struct candidate {
    int major;
    fs::path file;
};

std::vector<candidate> installed(std::string_view name) {
    std::vector<candidate> found;
    std::error_code none;  // A missing folder means that nothing is installed.
    for (const auto& one : fs::directory_iterator{"/usr/lib/postgresql", none}) {
        const auto folder = one.path().filename().native();
        int major = 0;
        const auto read = std::from_chars(folder.data(), folder.data() + folder.size(), major);
        auto file = one.path() / "bin" / name;
        if (read.ec == std::errc{} && is_program(file)) found.push_back({major, std::move(file)});
    }
    return found;
}

std::optional<fs::path> on_path(std::string_view name) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes the environment
    const char* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const auto length = std::min(rest.find(':'), rest.size());
        auto file = fs::path{rest.substr(0, length)} / name;
        rest.remove_prefix(std::min(length + 1, rest.size()));
        if (file.is_absolute() && is_program(file)) return file;
    }
    return {};
}

/// Chooses the oldest program that is not older than the server. An older program cannot read a
/// newer server, and an older server cannot restore the output of a newer program.
std::optional<fs::path> choose(std::string_view name, int major) {
    std::optional<candidate> best;
    for (auto& one : installed(name)) {
        if (one.major >= major && (!best || one.major < best->major)) best = std::move(one);
    }
    return best ? std::optional{best->file} : on_path(name);
}

}  // namespace

result<std::string> with_database(const std::string& connection_string, std::string_view database) {
    const auto options = parse(connection_string);
    if (!options) return options.error();
    std::string text = word("dbname", database);
    for (const auto* option = options->get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr || std::string_view{option->keyword} == "dbname") continue;
        text += " " + word(option->keyword, option->val);
    }
    return text;
}

result<std::string> with_password(const std::string& connection_string, std::string_view password) {
    const auto options = parse(connection_string);
    if (!options) return options.error();
    std::string text = word("password", password);
    for (const auto* option = options->get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr) continue;
        if (std::string_view{option->keyword} == "password") {
            return error{errc::invalid_argument, "the database URL has a password already"};
        }
        text += " " + word(option->keyword, option->val);
    }
    return text;
}

result<client_program> find_client_program(
    std::string_view name, const std::string& connection_string, const fs::path& binaries,
    deadline by) {
    auto access = describe_access(connection_string);
    if (!access) return access;
    if (!binaries.empty()) {
        access->file = binaries / name;
        if (is_program(access->file)) return access;
        return error{
            errc::database_unavailable, fmt::format("{}: no {} there", binaries.string(), name)};
    }
    const auto session = open_session(connection_string, {}, by, -1);
    if (!session) return error{errc::database_unavailable, session.error().detail()};
    const int major = PQserverVersion(session->get()) / 10'000;
    auto file = choose(name, major);
    if (!file) {
        return error{
            errc::database_unavailable,
            fmt::format("{} of PostgreSQL {} or newer is not installed", name, major)};
    }
    access->file = std::move(*file);
    return access;
}

}  // namespace reelsd::db
