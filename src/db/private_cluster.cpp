#include "child_process.hpp"
#include "cluster_layout.hpp"
#include "cluster_programs.hpp"
#include "cluster_upgrade.hpp"
#include "session.hpp"
#include <reelsd/db/private_cluster.hpp>

#include <boost/core/noncopyable.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Long enough for statements to be rolled back, short enough for a container's stop.
constexpr auto fast_stop_max = 10s;
constexpr auto immediate_stop_max = 5s;
/// Copies the files: about 100 GB. A migration has the same bound.
constexpr auto upgrade_time_max = 600s;
constexpr std::uintmax_t log_bytes_max = std::uintmax_t{10} * 1024 * 1024;

constexpr const char* our_database = "reelsd";
constexpr const char* first_database = "postgres";  // Created by initdb.

/// A local server answers immediately unless it is stuck.
constexpr auto look_max = 3s;

bool serves(const cluster_layout& layout, deadline by) {
    const auto text = connection_string_for(layout.socket_folder, our_database);
    return open_session(text, {}, by.at_most(look_max), -1).has_value();
}

PGPing ping(const cluster_layout& layout) {
    const auto text = connection_string_for(layout.socket_folder, first_database);
    const std::array<const char*, 3> keys{"dbname", "connect_timeout", nullptr};
    const std::array<const char*, 3> values{text.c_str(), "3", nullptr};
    return PQpingParams(keys.data(), values.data(), 1);
}

/// Returns the process that runs this cluster, even if it is starting or stopping. A postmaster's
/// working directory is its cluster, which excludes an unrelated process with a reused number.
std::optional<pid_t> live_postmaster(const cluster_layout& layout) {
    const auto process = postmaster_in(read_small_file(layout.cluster / "postmaster.pid"));
    if (!process) return {};
    std::error_code gone;
    const auto folder = fs::read_symlink(fmt::format("/proc/{}/cwd", *process), gone);
    // A service's user namespace may hide the folder from other commands. If the process were
    // taken for an unrelated one, the running server would lose its lock file.
    if (gone == std::errc::permission_denied && ::kill(*process, 0) == 0) return process;
    if (gone || folder != layout.cluster) return {};
    return process;
}

std::optional<struct stat> status_of(const fs::path& file) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) != 0) return {};
    return status;
}

/// True for errors caused by the last processes of a killed server. They still use its memory and
/// end by themselves soon.
bool is_transient(const error& why) {
    if (why.code() == errc::storage_failed) return false;
    return why.detail().find("shared memory block") != std::string::npos ||
           why.detail().find("lock file") != std::string::npos;
}

server_settings settings_of(const cluster_layout& layout, bool durable) {
    return {.cluster = layout.cluster, .socket_folder = layout.socket_folder, .durable = durable};
}

child_options child_for(
    const cluster_layout& layout, const fs::path& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program.native());
    return {.arguments = std::move(arguments), .run_as = layout.run_as, .output = layout.log_file};
}

result<void> make_database(const cluster_layout& layout, deadline by) try {
    const auto text = connection_string_for(layout.socket_folder, first_database);
    auto session = open_session(text, {}, by, -1);
    if (!session) return session.error();
    if (PQserverVersion(session->get()) < 150'000) {
        return error{
            errc::database_unavailable,
            fmt::format("{} is older than PostgreSQL 15", layout.postgres.string())};
    }
    command_session commands{std::move(*session), by};
    const auto existing =
        commands.fetch("db.existing", "SELECT FROM pg_database WHERE datname = $1", {our_database});
    if (existing.empty()) commands.execute(fmt::format("CREATE DATABASE {}", our_database));
    return {};
} catch (const failure& why) {
    return error{why.code(), why.what()};
}

}  // namespace

/// A PostgreSQL server that this process started, and the thread that started and supervises it.
/// The server receives its death signal when that thread ends. Keeps the server's log below 10 MiB.
class postmaster : boost::noncopyable {
public:
    /// Errors: database_unavailable when the program cannot be executed. Success does not mean that
    /// the server serves or stays alive: `alive`, which outlives this, is true while it runs.
    [[nodiscard]] static result<std::unique_ptr<postmaster>> start(
        child_options options, std::atomic<bool>& alive, log::logger logger) {
        auto server = std::make_unique<postmaster>(std::move(options), alive, std::move(logger));
        if (!server->stop_) return error{errc::database_unavailable, numbered_errno_text(errno)};
        server->trim_log();

        std::promise<result<pid_t>> started;
        auto outcome = started.get_future();
        server->thread_ =
            std::jthread{[self = server.get(), started = std::move(started)]() mutable {
                const auto child = start_child(self->options_);
                self->alive_ = child.has_value();
                started.set_value(child);
                if (child) self->watch(*child);
            }};
        const auto child = outcome.get();
        if (!child) return child.error();
        return server;
    }

    /// For start().
    postmaster(child_options options, std::atomic<bool>& alive, log::logger logger)
        : options_{std::move(options)},
          alive_{alive},
          logger_{std::move(logger)},
          stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}

    /// Stops the server and waits for its end: SIGINT (fast: open statements are rolled back),
    /// SIGQUIT after 10 s (immediate: recovery at the next start), SIGKILL after 5 s more.
    ~postmaster() {
        // Fails only when the counter is full, and then it is readable as well.
        static_cast<void>(::eventfd_write(stop_.get(), 1));
    }

private:
    void watch(pid_t child) {
        const auto process = watch_process(child);
        // Without a descriptor for the process, polls five times a second; with one, once a minute
        // for the log.
        const int interval_ms = process ? 60'000 : 200;
        for (;;) {
            std::array<pollfd, 2> watched{
                pollfd{process.get(), POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
            ::poll(watched.data(), watched.size(), interval_ms);
            if (watched[1].revents != 0) return end(child);
            if (reap(child, deadline::after({}))) {
                logger_.warning("private PostgreSQL server ended unexpectedly");
                return;
            }
            trim_log();
        }
    }

    void end(pid_t child) {
        struct escalation {
            int signal;
            std::chrono::seconds patience;
        };
        constexpr std::array escalations{
            escalation{SIGINT, fast_stop_max}, escalation{SIGQUIT, immediate_stop_max}};
        for (const auto& [signal, patience] : escalations) {
            ::kill(child, signal);  // Not reaped yet, so the number is still its own.
            if (reap(child, deadline::after(patience))) return;
        }
        ::kill(child, SIGKILL);
        static_cast<void>(reap(child, deadline::after(immediate_stop_max)));
    }

    [[nodiscard]] bool reap(pid_t child, deadline by) {
        if (!wait_for_child(child, by)) return false;
        alive_ = false;
        return true;
    }

    void trim_log() const {
        std::error_code problem;  // A log that cannot be truncated does not stop the database.
        const auto bytes = fs::file_size(options_.output, problem);
        // The server appends, so it continues at the new end.
        if (!problem && bytes > log_bytes_max) fs::resize_file(options_.output, 0, problem);
    }

    child_options options_;
    std::atomic<bool>& alive_;
    log::logger logger_;
    unique_fd stop_;
    std::jthread thread_;
};

/// Progress of one call of bring_up().
struct private_cluster::launch_state {
    /// This call has started a server. The end of a server that was killed earlier may become
    /// visible only now and is no failed start.
    bool started = false;
    std::uintmax_t log_begin = 0;  ///< Size of the log at the start.
    std::string waiting_for = "the private PostgreSQL server does not answer";
};

private_cluster::private_cluster(cluster_options options, log::logger logger)
    : options_{std::move(options)}, logger_{std::move(logger)} {}

private_cluster::~private_cluster() {
    stop();
}

void private_cluster::stop() noexcept {
    set_stopping(true);  // Ends a call in progress.
    const std::lock_guard hold{calls_};
    server_.reset();
    set_stopping(false);
}

void private_cluster::set_stopping(bool stopping) noexcept {
    {
        const std::lock_guard hold{state_lock_};
        stopping_ = stopping;
    }
    stop_requested_.notify_all();
}

result<void> private_cluster::pause(deadline by, const std::string& for_what) const {
    constexpr auto look_every = 100ms;
    std::unique_lock hold{state_lock_};
    const auto is_stopping = [this] { return stopping_; };
    if (stop_requested_.wait_until(hold, by.at_most(look_every).when(), is_stopping)) {
        return error{errc::cancelled, for_what};
    }
    if (by.passed()) return error{errc::timed_out, for_what};
    return {};
}

result<std::string> private_cluster::ensure_running(deadline by) {
    const std::lock_guard hold{calls_};
    const bool is_first_start = std::exchange(is_first_start_, false);
    auto layout = lay_out(options_);
    if (!layout) return layout.error();
    const auto connection_string = connection_string_for(layout->socket_folder, our_database);
    if (serves(*layout, by)) return connection_string;

    const auto lock = lock_start(*layout, by);
    if (!lock) return lock.error();
    end_upgrade_server(layout->cluster);
    if (is_first_start && layout->newer && !live_postmaster(*layout)) {
        const auto left = by.remaining();  // The upgrade has its own bound.
        upgrade(*layout);
        by = deadline::after(left);
        layout = lay_out(options_);
        if (!layout) return layout.error();
    }
    const auto up = bring_up(*layout, by);
    if (!up) return up.error();
    const auto created = make_database(*layout, by);
    if (!created) return created.error();
    return connection_string;
}

result<std::string> private_cluster::ensure_recovered(deadline by, deadline recovered_by) {
    auto running = ensure_running(by);
    if (running || running.error().code() != errc::timed_out || !is_owner()) return running;
    logger_.warning(
        "waiting for the recovery of the private database", {{"reason", running.error().detail()}});
    return ensure_running(recovered_by);
}

result<std::string> private_cluster::restart(deadline by) {
    {
        const std::lock_guard hold{calls_};
        server_.reset();
    }
    return ensure_running(by);
}

bool private_cluster::is_outdated() const {
    const std::lock_guard hold{state_lock_};
    if (!server_alive_ || !program_file_) return false;
    const auto file = status_of(program_);
    // A missing program is being replaced or was removed: no server could be started.
    return file && (file->st_dev != program_file_->st_dev || file->st_ino != program_file_->st_ino);
}

result<unique_fd> private_cluster::lock_start(const cluster_layout& layout, deadline by) const {
    // Readable for all, because flock() needs only that, and the daemon and root's commands may run
    // as different users.
    unique_fd file{::open(
        layout.lock_file.c_str(),
        O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
        S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)};
    if (!file) {
        return storage_error(layout.lock_file, numbered_errno_text(errno));
    }
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return error{errc::storage_failed, numbered_errno_text(errno)};
        }
        const auto waited = pause(by, "another process is starting the private PostgreSQL server");
        if (!waited) return waited.error();
    }
    return file;
}

void private_cluster::upgrade(const cluster_layout& layout) const {
    if (!options_.upgrades) {
        logger_.warning(
            "a newer PostgreSQL is installed; the daemon upgrades the database at its start",
            {{"from", layout.major}, {"to", layout.newer->major}});
        return;
    }
    logger_.info(
        "upgrading the private database", {{"from", layout.major}, {"to", layout.newer->major}});
    const auto done = upgrade_cluster(layout, options_.durable, deadline::after(upgrade_time_max));
    if (done) {
        logger_.info("private database upgraded", {{"version", layout.newer->major}});
    } else {
        logger_.error(
            "upgrading the private database failed; it keeps its version",
            {{"version", layout.major}, {"reason", done.error().detail()}});
    }
}

result<void> private_cluster::start_if_gone(
    const cluster_layout& layout, launch_state& launched, deadline by) {
    if (server_ && !server_alive_) {
        server_.reset();
        if (!std::exchange(launched.started, false)) return {};
        const auto why = program_failed(layout.postgres, layout.log_file, launched.log_begin);
        if (!is_transient(why)) return why;
        launched.waiting_for = why.detail();
        return {};
    }
    if (server_ || live_postmaster(layout)) return {};
    launched.log_begin = size_of(layout.log_file);
    const auto started = start(layout, by);
    if (!started) return started;
    launched.started = true;
    return {};
}

result<void> private_cluster::bring_up(const cluster_layout& layout, deadline by) {
    launch_state launched;
    for (;;) {
        const auto response = ping(layout);
        if (response == PQPING_OK) return {};
        if (response == PQPING_REJECT) {
            launched.waiting_for =
                "the private PostgreSQL server is starting, recovering or stopping";
        } else if (const auto done = start_if_gone(layout, launched, by); !done) {
            return done;
        }
        const auto waited = pause(by, launched.waiting_for);
        if (!waited) return waited;
    }
}

result<void> private_cluster::start(const cluster_layout& layout, deadline by) {
    if (!layout.initialised()) {
        const auto created = initialise(layout, by);
        if (!created) return created;
    }
    // live_postmaster() has shown that the file is stale. With it, PostgreSQL would refuse to start
    // if an unrelated process of the same user had the number now. Without it, PostgreSQL still
    // detects old processes that use the cluster.
    std::error_code missing;
    fs::remove(layout.cluster / "postmaster.pid", missing);

    auto arguments = server_arguments(settings_of(layout, options_.durable));
    auto child = child_for(layout, layout.postgres, std::move(arguments));
    {
        // Read before the start, so that no replacement is missed. One in between costs only an
        // unnecessary restart.
        const std::lock_guard hold{state_lock_};
        program_ = layout.postgres;
        program_file_ = status_of(program_);
    }
    auto started = postmaster::start(std::move(child), server_alive_, logger_);
    if (!started) return started.error();
    server_ = std::move(*started);
    logger_.info("private PostgreSQL server started", {{"folder", layout.cluster.string()}});
    return {};
}

result<void> private_cluster::initialise(const cluster_layout& layout, deadline by) const {
    std::error_code problem;
    if (fs::exists(layout.cluster, problem) && !fs::is_empty(layout.cluster, problem)) {
        return storage_error(layout.cluster, "neither empty nor a PostgreSQL cluster");
    }
    remove_unfinished(layout);
    // Created under another name and renamed when complete, so that a cluster is never partial.
    const auto unfinished = unfinished_folder(layout);
    logger_.info("creating the private PostgreSQL cluster", {{"folder", layout.cluster.string()}});
    const auto created = create_cluster(layout, unfinished, options_.durable, by);
    if (!created) {
        fs::remove_all(unfinished, problem);
        return created;
    }
    fs::rename(unfinished, layout.cluster, problem);
    if (problem) {
        return storage_error(layout.cluster, problem.message());
    }
    if (options_.durable) sync_folder(layout.data_dir);
    return {};
}

}  // namespace reelsd::db
