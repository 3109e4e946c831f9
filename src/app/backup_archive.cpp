#include "backup_archive.hpp"

#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/process/child_run.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// A migration is a line of about 120 bytes: room for thousands.
constexpr std::size_t history_bytes_max = std::size_t{1024} * 1024;

/// The backup gives up on a lock that is held for longer: while it waits, other statements queue
/// behind it.
constexpr const char* lock_wait = "--lock-wait-timeout=30s";

/// The first error in "pg_dump: error: query failed: ..."; later lines may quote rows.
std::string first_error_in(std::string_view error_output) {
    constexpr std::string_view mark = "error: ";
    const auto marked = error_output.find(mark);
    auto line = error_output.substr(marked == error_output.npos ? 0 : marked + mark.size());
    line = line.substr(0, line.find('\n'));
    return line.empty() ? "no reason given" : std::string{line};
}

error tool_failure(const fs::path& program, const process::child_end& end) {
    const auto name = program.filename().string();
    switch (end.outcome) {
        case process::child_outcome::exited: break;
        case process::child_outcome::signalled:
            return error{
                errc::internal,
                fmt::format("{} was killed by {}", name, process::signal_name(end.status))};
        case process::child_outcome::overdue:
            return error{errc::timed_out, fmt::format("{} did not end in time", name)};
        case process::child_outcome::stopped: return error{errc::cancelled, "interrupted"};
        case process::child_outcome::flooding:
            return error{errc::internal, fmt::format("{} writes too much output", name)};
        case process::child_outcome::not_started:
            return error{errc::database_unavailable, end.error_output};
    }
    const bool is_full = end.error_output.find("No space left") != std::string::npos;
    return error{
        is_full ? errc::storage_failed : errc::internal,
        fmt::format("{}: {}", name, first_error_in(end.error_output))};
}

result<std::string> run_tool(
    const db::client_program& program, process::child_command command, deadline by,
    const std::stop_token& stop) {
    command.program = program.file.string();
    command.environment = program.environment;
    auto end = process::run_child(command, by, stop);
    if (end.outcome == process::child_outcome::exited && end.status == 0)
        return std::move(end.output);
    return tool_failure(program.file, end);
}

/// Maps an internal error of pg_restore to a fault of the file.
error fault_of_file(const fs::path& file, const error& why) {
    if (why.code() != errc::internal) return why;
    return error{
        errc::invalid_argument,
        fmt::format("{} is not a complete backup: {}", file.string(), why.detail())};
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

/// What the last line of a backup begins with; a SHA-256 in hexadecimal digits follows.
constexpr std::string_view seal_begin = "\nreelsd backup, sha256 ";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t seal_bytes = seal_begin.size() + digest_digits + 1;

error seal_error(int code) {
    return error{errc::storage_failed, "the backup: " + std::generic_category().message(code)};
}

/// Up to `bytes_max` bytes from `offset`; fewer at the end of the file.
result<std::string> read_at(int file, std::uint64_t offset, std::size_t bytes_max) {
    std::string piece(bytes_max, '\0');
    ssize_t count = 0;
    do {
        count = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(offset));
    } while (count < 0 && errno == EINTR);
    if (count < 0) return seal_error(errno);
    piece.resize(static_cast<std::size_t>(count));
    return piece;
}

/// The seal of a file's first `size` bytes.
result<std::string> seal_of(
    int file, std::uint64_t size, deadline by, const std::stop_token& stop) {
    constexpr std::size_t piece_bytes = std::size_t{1024} * 1024;
    file_digest digest;
    for (std::uint64_t offset = 0; offset < size;) {
        if (stop.stop_requested()) return error{errc::cancelled, "interrupted"};
        if (by.passed()) return error{errc::timed_out, "the backup was not read in time"};
        const auto piece =
            read_at(file, offset, std::min<std::uint64_t>(piece_bytes, size - offset));
        if (!piece) return piece.error();
        if (piece->empty()) return error{errc::storage_failed, "the backup has shrunk"};
        digest.add(*piece);
        offset += piece->size();
    }
    return fmt::format("{}{}\n", seal_begin, digest.hex());
}

result<std::uint64_t> size_of_open(int file) {
    const auto end = ::lseek(file, 0, SEEK_END);
    if (end < 0) return seal_error(errno);
    return static_cast<std::uint64_t>(end);
}

}  // namespace

result<void> write_archive(
    const db::client_program& pg_dump, int to, deadline by, const std::stop_token& stop) {
    process::child_command command;
    command.arguments = {
        "--format=custom",
        "--no-password",
        "--no-owner",
        "--no-privileges",
        lock_wait,
        "--dbname=" + pg_dump.database};
    command.standard_output = to;
    const auto written = run_tool(pg_dump, std::move(command), by, stop);
    if (!written) return written.error();
    return {};
}

result<void> check_archive(
    const db::client_program& pg_restore, const fs::path& file, deadline by,
    const std::stop_token& stop) {
    process::child_command command;
    // More than `--list`: every block is read and unpacked.
    command.arguments = {"--file=/dev/null", file.string()};
    const auto read = run_tool(pg_restore, std::move(command), by, stop);
    if (!read) return fault_of_file(file, read.error());
    return {};
}

result<std::int32_t> schema_version_in(
    const db::client_program& pg_restore, const fs::path& file, deadline by,
    const std::stop_token& stop) {
    process::child_command command;
    command.arguments = {"--data-only", "--table=schema_migration", "--file=-", file.string()};
    command.output_bytes_max = history_bytes_max;
    const auto history = run_tool(pg_restore, std::move(command), by, stop);
    if (!history) return fault_of_file(file, history.error());
    if (const auto newest = newest_version(*history)) return *newest;
    return error{errc::invalid_argument, fmt::format("{} is not a reelsd backup", file.string())};
}

result<void> load_archive(
    const db::client_program& pg_restore, const fs::path& file, deadline by,
    const std::stop_token& stop) {
    process::child_command command;
    command.arguments = {
        "--exit-on-error",
        "--single-transaction",
        "--no-password",
        "--no-owner",
        "--no-privileges",
        "--dbname=" + pg_restore.database,
        file.string()};
    const auto loaded = run_tool(pg_restore, std::move(command), by, stop);
    if (!loaded) return loaded.error();
    return {};
}

result<void> seal_backup(int file, deadline by, const std::stop_token& stop) {
    const auto size = size_of_open(file);
    if (!size) return size.error();
    const auto seal = seal_of(file, *size, by, stop);
    if (!seal) return seal.error();
    const auto written = ::pwrite(file, seal->data(), seal->size(), static_cast<off_t>(*size));
    if (written < 0) return seal_error(errno);
    if (static_cast<std::size_t>(written) != seal->size()) return seal_error(ENOSPC);
    return {};
}

result<void> check_seal(const fs::path& file, deadline by, const std::stop_token& stop) {
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!opened) {
        return error{
            errc::storage_failed,
            fmt::format("{}: {}", file.string(), std::generic_category().message(errno))};
    }
    const auto size = size_of_open(opened.get());
    if (!size) return size.error();
    const auto refused = [&file](std::string_view why) {
        return error{errc::invalid_argument, fmt::format("{} {}", file.string(), why)};
    };
    constexpr std::string_view no_seal =
        "is not a complete reelsd backup: its last line is missing";
    if (*size < seal_bytes) return refused(no_seal);
    const auto last_line = read_at(opened.get(), *size - seal_bytes, seal_bytes);
    if (!last_line) return last_line.error();
    if (!last_line->starts_with(seal_begin)) return refused(no_seal);
    const auto expected = seal_of(opened.get(), *size - seal_bytes, by, stop);
    if (!expected) return expected.error();
    if (*last_line != *expected) return refused("is damaged: its checksum does not match");
    return {};
}

}  // namespace reelsd::app
