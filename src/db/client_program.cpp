#include "cluster_layout.hpp"
#include "session.hpp"
#include <reelsd/db/client_program.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <set>
#include <utility>

extern char** environ;  // NOLINT: POSIX wants it declared by hand.

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;

/// Variables that libpq also reads in this process: its own, and HOME for its files.
bool is_for_libpq(std::string_view variable) {
    return variable.starts_with("PG") || variable.starts_with("HOME=");
}

/// Passes an option in an environment variable if there is one. Other options go into the
/// connection string if they are not secret, and are refused otherwise.
result<void> pass_option(const PQconninfoOption& option, client_program& to) {
    if (option.val == nullptr) return {};
    const std::string_view keyword{option.keyword};
    if (option.envvar != nullptr && keyword != "dbname") {
        to.environment.push_back(fmt::format("{}={}", option.envvar, option.val));
        return {};
    }
    if (*option.dispchar == '*') {
        return error{
            errc::invalid_argument,
            fmt::format("the database URL's {} cannot be passed to another program", keyword)};
    }
    to.database += (to.database.empty() ? "" : " ") + connection_option(keyword, option.val);
    return {};
}

result<client_program> describe_access(const std::string& connection_string) {
    const auto options = parse_connection_string(connection_string);
    if (!options) return options.error();
    client_program access;
    // As for this program's sessions: TCP detects within about 25 s that the server is gone. The
    // operator's values follow and override these.
    access.database =
        "keepalives_idle='10' keepalives_interval='5' keepalives_count='3' "
        "tcp_user_timeout='15000'";
    for (const auto* option = options->get(); option->keyword != nullptr; ++option) {
        if (const auto passed = pass_option(*option, access); !passed) return passed.error();
    }
    const auto name_of = [](std::string_view text) { return text.substr(0, text.find('=')); };
    std::set<std::string, std::less<>> set;
    for (const auto& variable : access.environment) set.emplace(name_of(variable));
    for (char** next = environ; *next != nullptr; ++next) {
        const std::string_view variable{*next};
        if (!is_for_libpq(variable) || set.contains(name_of(variable))) continue;
        access.environment.emplace_back(variable);
    }
    access.environment.emplace_back("PATH=/usr/bin:/bin");
    access.environment.emplace_back("LC_ALL=C");
    return access;
}

/// Chooses the oldest program that is not older than the server. An older program cannot read a
/// newer server, and an older server cannot restore the output of a newer program.
fs::path choose_folder(std::string_view name, int major) {
    std::optional<installation> best;
    for (auto& candidate : installations_of({name})) {
        const bool fits = candidate.major >= major;
        if (fits && (!best || candidate.major < best->major)) best = std::move(candidate);
    }
    return best ? best->binaries : folder_on_path({name});
}

/// Returns a connection string of `options`, with another value for `keyword`.
std::string with_option(
    const connection_options& options, std::string_view keyword, std::string_view value) {
    std::string text = connection_option(keyword, value);
    for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val == nullptr || option->keyword == keyword) continue;
        text += " " + connection_option(option->keyword, option->val);
    }
    return text;
}

}  // namespace

result<client_program> find_client_program(
    std::string_view name, const std::string& connection_string, const fs::path& binaries,
    deadline by) {
    auto access = describe_access(connection_string);
    if (!access) return access;
    if (!binaries.empty()) {
        access->file = binaries / name;
        if (has_programs(binaries, {name})) return access;
        return error{
            errc::database_unavailable,
            fmt::format("{}: {} is missing there", binaries.string(), name)};
    }
    const auto session = open_session(connection_string, {}, by, -1);
    if (!session) return error{errc::database_unavailable, session.error().detail()};
    const int major = PQserverVersion(session->get()) / 10'000;
    const auto folder = choose_folder(name, major);
    if (folder.empty()) {
        return error{
            errc::database_unavailable,
            fmt::format("{} of PostgreSQL {} or newer is not installed", name, major)};
    }
    access->file = folder / name;
    return access;
}

result<std::string> with_database(const std::string& connection_string, std::string_view database) {
    const auto options = parse_connection_string(connection_string);
    if (!options) return options.error();
    return with_option(*options, "dbname", database);
}

result<std::string> with_password(const std::string& connection_string, std::string_view password) {
    const auto options = parse_connection_string(connection_string);
    if (!options) return options.error();
    if (!option_value(**options, "password").empty()) {
        return error{errc::invalid_argument, "the database URL has a password already"};
    }
    return with_option(*options, "password", password);
}

}  // namespace reelsd::db
