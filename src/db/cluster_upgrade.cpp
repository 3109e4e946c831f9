#include "cluster_upgrade.hpp"

#include "child_process.hpp"
#include "cluster_programs.hpp"
#include <reelsd/base/parse_number.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

#include <csignal>
#include <string>
#include <string_view>
#include <system_error>

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr int stop_max_ms = 5000;

error cluster_error(const fs::path& folder, const std::string& why) {
    return error{errc::storage_failed, fmt::format("{}: {}", folder.string(), why)};
}

/// Makes room for the old cluster. Removes only what a killed upgrade has left: a new cluster that
/// was not yet in place.
result<void> make_room(const fs::path& kept, int old_major) {
    std::error_code problem;
    if (!fs::exists(kept, problem)) return {};
    const auto version = read_small_file(kept / "PG_VERSION");
    const auto major = parse_number<int>(version.substr(0, version.find('\n')));
    if (!major || *major <= old_major) {
        return cluster_error(kept, "exists already; remove it if you do not need it");
    }
    fs::remove_all(kept, problem);
    if (problem) return cluster_error(kept, problem.message());
    return {};
}

/// Runs statements in a server without clients, which ends at the end of its input.
cluster_program single_user(
    const fs::path& postgres, const fs::path& cluster, const char* database, const char* script) {
    return {
        .file = postgres,
        .arguments = {"--single", "-D", cluster.native(), database},
        .input = script};
}

/// Creates the new cluster in `fresh`, complete and stopped.
result<void> fill(const cluster_layout& layout, const fs::path& fresh, bool durable, deadline by) {
    const auto old_binaries = layout.postgres.parent_path();
    const auto new_binaries = layout.newer->binaries;
    // pg_upgrade refuses a cluster that was not shut down.
    const auto recovered =
        run_program(layout, single_user(layout.postgres, layout.cluster, "postgres", ""), by);
    if (!recovered) return recovered;

    auto created = layout;
    created.initdb = new_binaries / "initdb";
    if (auto done = create_cluster(created, fresh, durable, by); !done) return done;

    // Its working directory must be writable; it leaves a script there.
    cluster_program upgrade{
        .file = new_binaries / "pg_upgrade",
        .arguments =
            {"-b",
             old_binaries.native(),
             "-B",
             new_binaries.native(),
             "-d",
             layout.cluster.native(),
             "-D",
             fresh.native(),
             "-U",
             "reelsd",
             "--socketdir",
             layout.socket_folder.native()},
        .folder = layout.socket_folder};
    if (!durable) upgrade.arguments.emplace_back("--no-sync");
    const auto upgraded = run_program(layout, upgrade, by);
    std::error_code none;
    fs::remove(layout.socket_folder / "delete_old_cluster.sh", none);
    if (!upgraded) return upgraded;
    // pg_upgrade does not copy the planner's statistics.
    return run_program(
        layout, single_user(new_binaries / "postgres", fresh, "reelsd", "ANALYZE\n"), by);
}

/// Puts the complete cluster `fresh` into place, and the old one to `kept`.
result<void> exchange(const cluster_layout& layout, const fs::path& fresh, const fs::path& kept) {
    std::error_code problem;
    fs::rename(fresh, kept, problem);
    if (problem) return cluster_error(kept, problem.message());
    sync_folder(layout.data_dir);
    if (::renameat2(AT_FDCWD, layout.cluster.c_str(), AT_FDCWD, kept.c_str(), RENAME_EXCHANGE) !=
        0) {
        const int number = errno;
        fs::remove_all(kept, problem);
        return cluster_error(
            layout.cluster,
            "cannot be exchanged with the upgraded cluster: " + numbered_errno_text(number));
    }
    sync_folder(layout.data_dir);
    return {};
}

}  // namespace

void end_upgrade_server(const fs::path& cluster) {
    const auto process = postmaster_in(read_small_file(cluster / "postmaster.pid"));
    if (!process) return;
    std::error_code gone;
    const auto folder = fs::read_symlink(fmt::format("/proc/{}/cwd", *process), gone);
    const auto arguments = read_small_file(fmt::format("/proc/{}/cmdline", *process));
    if (gone || folder != cluster || arguments.find("\0-b\0"sv) == std::string::npos) return;
    const auto watched = watch_process(*process);
    for (const int signal : {SIGINT, SIGQUIT}) {
        ::kill(*process, signal);
        pollfd end{watched.get(), POLLIN, 0};
        if (::poll(&end, 1, stop_max_ms) > 0) return;
    }
}

result<void> upgrade_cluster(const cluster_layout& layout, bool durable, deadline by) {
    const auto kept = layout.data_dir / fmt::format("postgres-{}", layout.major);
    if (auto room = make_room(kept, layout.major); !room) return room;
    remove_unfinished(layout);
    std::error_code none;  // Stale, because no server runs.
    fs::remove(layout.cluster / "postmaster.pid", none);

    const auto fresh = unfinished_folder(layout);
    auto filled = fill(layout, fresh, durable, by);
    if (filled) filled = exchange(layout, fresh, kept);
    // Again: programs of a killed upgrade may have written files while the first call removed them.
    remove_unfinished(layout);
    return filled;
}

}  // namespace reelsd::db
