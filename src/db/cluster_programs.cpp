#include "cluster_programs.hpp"

#include "child_process.hpp"
#include "cluster_upgrade.hpp"
#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <random>
#include <system_error>
#include <utility>

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;

constexpr const char* unfinished_prefix = "postgres.new-";

const char* locale_for_cluster() {
    const locale_t locale = ::newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    if (locale == nullptr) return "C";
    ::freelocale(locale);
    return "C.UTF-8";
}

/// Whether the disk of `file` has no space for a segment of the write-ahead log.
bool is_full(const fs::path& file) {
    constexpr std::uintmax_t segment_bytes = std::uintmax_t{16} * 1024 * 1024;
    std::error_code failed;
    const auto space = fs::space(file.parent_path(), failed);
    return !failed && space.available < segment_bytes;
}

}  // namespace

std::uintmax_t size_of(const fs::path& file) {
    std::error_code missing;
    const auto bytes = fs::file_size(file, missing);
    return missing ? 0 : bytes;
}

error program_failed(const fs::path& program, const fs::path& log_file, std::uintmax_t begin) {
    if (begin > size_of(log_file)) begin = 0;  // Truncated since.
    auto cause = cause_in(read_small_file(log_file, begin));
    // On a full disk, the log usually lacks the reason.
    if (cause.empty() && is_full(log_file)) cause = fmt::format("{} on device", full_disk_text);
    if (cause.empty()) cause = "no reason given";
    const bool full = cause.find(full_disk_text) != std::string::npos;
    return error{
        full ? errc::storage_failed : errc::database_unavailable,
        fmt::format("{} failed: {} (more in {})", program.string(), cause, log_file.string())};
}

result<void> run_program(
    const cluster_layout& layout, const cluster_program& program, deadline by) {
    auto arguments = program.arguments;
    arguments.insert(arguments.begin(), program.file.native());
    const auto log_begin = size_of(layout.log_file);
    const auto child = start_child(
        {.arguments = std::move(arguments),
         .run_as = layout.run_as,
         .output = layout.log_file,
         .folder = program.folder,
         .input = program.input});
    if (!child) return child.error();

    const auto status = wait_for_child(*child, by);
    if (!status) {
        ::kill(-*child, SIGKILL);  // Its whole process group, because it runs helpers.
        ::waitpid(*child, nullptr, 0);
        return error{errc::timed_out, program.file.string() + " has not finished in time"};
    }
    if (*status != 0) return program_failed(program.file, layout.log_file, log_begin);
    return {};
}

fs::path unfinished_folder(const cluster_layout& layout) {
    return layout.data_dir / fmt::format("{}{:08x}", unfinished_prefix, std::random_device{}());
}

void remove_unfinished(const cluster_layout& layout) {
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator{layout.data_dir, gone}) {
        std::error_code busy;
        if (entry.path().filename().native().starts_with(unfinished_prefix)) {
            end_upgrade_server(entry.path());
            fs::remove_all(entry.path(), busy);
        }
    }
}

result<void> create_cluster(
    const cluster_layout& layout, const fs::path& folder, bool durable, deadline by) {
    const auto created = make_private_folder(folder, layout.run_as);
    if (!created) return created;
    const server_settings settings{
        .cluster = folder, .socket_folder = layout.socket_folder, .durable = durable};
    return run_program(
        layout, {layout.initdb, initdb_arguments(settings, locale_for_cluster())}, by);
}

void sync_folder(const fs::path& folder) {
    const unique_fd opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (opened) ::fsync(opened.get());
}

}  // namespace reelsd::db
