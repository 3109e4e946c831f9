#include "backup_archive.hpp"

#include <reelsd/process/child_run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// A migration is a line of about 120 bytes: room for thousands.
constexpr std::size_t history_bytes_max = std::size_t{1024} * 1024;

/// A lock that somebody holds for longer is no moment's work: the backup gives up rather than
/// stand in a queue that others then stand in, too.
constexpr const char* lock_wait = "--lock-wait-timeout=30s";

/// "pg_dump: error: query failed: ..." is what went wrong; what follows may quote rows.
std::string tool_complaint(std::string_view error_output) {
    constexpr std::string_view mark = "error: ";
    const auto marked = error_output.find(mark);
    auto line = error_output.substr(marked == error_output.npos ? 0 : marked + mark.size());
    line = line.substr(0, line.find('\n'));
    return line.empty() ? "no reason given" : std::string{line};
}

error tool_failure(const fs::path& program, const process::child_end& end) {
    const auto name = program.filename().string();
    switch (end.fate) {
        case process::child_outcome::exited: break;
        case process::child_outcome::signalled:
            return error{
                errc::internal,
                fmt::format("{} was ended by {}", name, process::signal_name(end.status))};
        case process::child_outcome::overdue:
            return error{errc::timed_out, fmt::format("{} has not ended in time", name)};
        case process::child_outcome::stopped: return error{errc::cancelled, "interrupted"};
        case process::child_outcome::flooding:
            return error{errc::internal, fmt::format("{} says more than it may", name)};
        case process::child_outcome::not_started:
            return error{errc::database_unavailable, end.error_output};
    }
    const bool is_full = end.error_output.find("No space left") != std::string::npos;
    return error{
        is_full ? errc::storage_failed : errc::internal,
        fmt::format("{}: {}", name, tool_complaint(end.error_output))};
}

result<std::string> run_tool(
    const db::client_program& program, process::child_command wanted, deadline by,
    const std::stop_token& stop) {
    wanted.program = program.file.string();
    wanted.environment = program.environment;
    auto end = process::run_child(wanted, by, stop);
    if (end.fate == process::child_outcome::exited && end.status == 0) return std::move(end.output);
    return tool_failure(program.file, end);
}

/// That the file itself is at fault; what came from outside stays as it is.
error about_file(const fs::path& file, const error& why) {
    if (why.code() != errc::internal) return why;
    return error{
        errc::invalid_argument,
        fmt::format("{} is no whole backup: {}", file.string(), why.detail())};
}

/// The newest version in a table as pg_restore prints it: "COPY ... FROM stdin;", then a row a
/// line with the version first, then "\.".
std::optional<std::int32_t> newest_version(std::string_view text) {
    std::optional<std::int32_t> newest;
    bool in_rows = false;
    while (!text.empty()) {
        const auto length = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        if (line.starts_with("COPY ")) in_rows = line.ends_with("FROM stdin;");
        if (line == "\\.") in_rows = false;
        std::int32_t version = 0;
        const auto read = std::from_chars(line.data(), line.data() + line.size(), version);
        if (in_rows && read.ec == std::errc{}) newest = std::max(newest.value_or(0), version);
    }
    return newest;
}

}  // namespace

result<void> write_archive(
    const db::client_program& pg_dump, int to, deadline by, const std::stop_token& stop) {
    process::child_command asked;
    asked.arguments = {
        "--format=custom",
        "--no-password",
        "--no-owner",
        "--no-privileges",
        lock_wait,
        "--dbname=" + pg_dump.database};
    asked.standard_output = to;
    const auto written = run_tool(pg_dump, std::move(asked), by, stop);
    if (!written) return written.error();
    return {};
}

result<void> check_archive(
    const db::client_program& pg_restore, const fs::path& file, deadline by,
    const std::stop_token& stop) {
    process::child_command asked;
    // More than `--list`: every block is read and unpacked.
    asked.arguments = {"--file=/dev/null", file.string()};
    const auto read = run_tool(pg_restore, std::move(asked), by, stop);
    if (!read) return about_file(file, read.error());
    return {};
}

result<std::int32_t> schema_version_in(
    const db::client_program& pg_restore, const fs::path& file, deadline by,
    const std::stop_token& stop) {
    process::child_command asked;
    asked.arguments = {"--data-only", "--table=schema_migration", "--file=-", file.string()};
    asked.output_bytes_max = history_bytes_max;
    const auto history = run_tool(pg_restore, std::move(asked), by, stop);
    if (!history) return about_file(file, history.error());
    if (const auto newest = newest_version(*history)) return *newest;
    return error{errc::invalid_argument, fmt::format("{} is no backup of reelsd", file.string())};
}

result<void> load_archive(
    const db::client_program& pg_restore, const fs::path& file, deadline by,
    const std::stop_token& stop) {
    process::child_command asked;
    asked.arguments = {
        "--exit-on-error",
        "--single-transaction",
        "--no-password",
        "--no-owner",
        "--no-privileges",
        "--dbname=" + pg_restore.database,
        file.string()};
    const auto loaded = run_tool(pg_restore, std::move(asked), by, stop);
    if (!loaded) return loaded.error();
    return {};
}

}  // namespace reelsd::app
