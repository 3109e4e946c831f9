#include "cluster_supervisor.hpp"

#include "session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <fstream>
#include <random>
#include <system_error>
#include <utility>

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

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

std::uintmax_t size_of(const fs::path& file) {
    std::error_code missing;
    const auto bytes = fs::file_size(file, missing);
    return missing ? 0 : bytes;
}

std::string log_since(const fs::path& file, std::uintmax_t begin) {
    if (begin > size_of(file)) begin = 0;  // Truncated since.
    constexpr std::size_t bytes_max = std::size_t{64} * 1024;
    std::ifstream stream{file, std::ios::binary};
    stream.seekg(static_cast<std::streamoff>(begin));
    std::string text(bytes_max, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

error program_failed(const fs::path& program, const fs::path& log_file, std::uintmax_t begin) {
    auto cause = cause_in(log_since(log_file, begin));
    if (cause.empty()) cause = "no reason given";
    const bool full = cause.find("No space left") != std::string::npos;
    return error{
        full ? errc::storage_failed : errc::database_unavailable,
        fmt::format("{} failed: {} (more in {})", program.string(), cause, log_file.string())};
}

/// True for errors caused by the last processes of a killed server. They still hold its memory and
/// end by themselves within a moment.
bool is_transient(const error& why) {
    return why.detail().find("shared memory block") != std::string::npos ||
           why.detail().find("lock file") != std::string::npos;
}

const char* locale_for_cluster() {
    const locale_t found = ::newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    if (found == nullptr) return "C";
    ::freelocale(found);
    return "C.UTF-8";
}

server_settings settings_of(const cluster_layout& layout, bool durable) {
    return {.cluster = layout.cluster, .socket_folder = layout.socket_folder, .durable = durable};
}

child_options child_for(
    const cluster_layout& layout, const fs::path& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program.native());
    return {.arguments = std::move(arguments), .run_as = layout.run_as, .output = layout.log_file};
}

result<void> make_database(const cluster_layout& layout, deadline by) {
    const auto text = connection_string_for(layout.socket_folder, first_database);
    const auto session = open_session(text, {}, by, -1);
    if (!session) return session.error();
    if (PQserverVersion(session->get()) < 150'000) {
        return error{
            errc::database_unavailable,
            fmt::format("{} is older than PostgreSQL 15", layout.postgres.string())};
    }
    const auto existing = run_sql(
        **session, "SELECT 1 FROM pg_database WHERE datname = $1", {parameter{our_database}}, by);
    if (!existing) return existing.error();
    if (PQntuples(existing->get()) > 0) return {};
    const auto created = run_sql(**session, fmt::format("CREATE DATABASE {}", our_database), by);
    if (!created) return created.error();
    return {};
}

void sync_folder(const fs::path& folder) {
    // Best effort: the next start repeats a rename that a crash lost.
    const unique_fd opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (opened) ::fsync(opened.get());
}

/// Removes leftovers of killed initdb runs. One may still be cleaning up after itself; therefore
/// each run uses a new name.
void remove_unfinished(const cluster_layout& layout) {
    std::error_code gone;
    for (const auto& one : fs::directory_iterator{layout.data_dir, gone}) {
        std::error_code busy;
        if (one.path().filename().native().starts_with("postgres.new-")) {
            fs::remove_all(one.path(), busy);
        }
    }
}

}  // namespace

cluster_supervisor::cluster_supervisor(cluster_options options, log::logger logger)
    : options_{std::move(options)}, logger_{std::move(logger)} {}

cluster_supervisor::~cluster_supervisor() {
    stop();
}

void cluster_supervisor::stop() noexcept {
    ask_to_stop(true);  // Ends a call in progress.
    const std::lock_guard hold{calls_};
    server_.reset();
    ask_to_stop(false);
}

void cluster_supervisor::ask_to_stop(bool stopping) noexcept {
    {
        const std::lock_guard hold{asking_};
        stopping_ = stopping;
    }
    stop_asked_.notify_all();
}

result<void> cluster_supervisor::pause(deadline by, const std::string& for_what) const {
    constexpr auto look_every = 100ms;
    std::unique_lock hold{asking_};
    const auto asked = [this] { return stopping_; };
    if (stop_asked_.wait_until(hold, by.at_most(look_every).when(), asked)) {
        return error{errc::cancelled, for_what};
    }
    if (by.passed()) return error{errc::timed_out, for_what};
    return {};
}

result<std::string> cluster_supervisor::ensure_running(deadline by) {
    const std::lock_guard hold{calls_};
    const auto layout = lay_out(options_);
    if (!layout) return layout.error();
    const auto connection_string = connection_string_for(layout->socket_folder, our_database);
    if (serves(*layout, by)) return connection_string;

    const auto lock = lock_start(*layout, by);
    if (!lock) return lock.error();
    const auto up = bring_up(*layout, by);
    if (!up) return up.error();
    const auto made = make_database(*layout, by);
    if (!made) return made.error();
    return connection_string;
}

result<std::string> cluster_supervisor::restart(deadline by) {
    {
        const std::lock_guard hold{calls_};
        server_.reset();
    }
    return ensure_running(by);
}

std::optional<cluster_supervisor::file_identity> cluster_supervisor::identity_of(
    const fs::path& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) return {};
    return file_identity{.device = found.st_dev, .number = found.st_ino};
}

bool cluster_supervisor::is_outdated() const {
    const std::lock_guard hold{asking_};
    if (!server_alive_ || !program_begun_) return false;
    const auto there = identity_of(program_);
    // A missing program is being replaced or was removed: no server could be started.
    return there && *there != *program_begun_;
}

result<unique_fd> cluster_supervisor::lock_start(const cluster_layout& layout, deadline by) const {
    // Readable for all, because flock() needs only that, and the daemon and root's commands may run
    // as different users.
    unique_fd file{::open(
        layout.lock_file.c_str(),
        O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
        S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)};
    if (!file) {
        return error{
            errc::storage_failed,
            fmt::format("{}: {}", layout.lock_file.string(), words_of_errno(errno))};
    }
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return error{errc::storage_failed, words_of_errno(errno)};
        }
        const auto waited = pause(by, "another process is starting the private PostgreSQL server");
        if (!waited) return waited.error();
    }
    return file;
}

result<void> cluster_supervisor::start_if_gone(
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
    if (!started) return started.error();
    launched.started = true;
    return {};
}

result<void> cluster_supervisor::bring_up(const cluster_layout& layout, deadline by) {
    launch_state launched;
    for (;;) {
        const auto heard = ping(layout);
        if (heard == PQPING_OK) return {};
        if (heard == PQPING_REJECT) {
            launched.waiting_for =
                "the private PostgreSQL server is starting, recovering or stopping";
        } else if (const auto done = start_if_gone(layout, launched, by); !done) {
            return done.error();
        }
        const auto waited = pause(by, launched.waiting_for);
        if (!waited) return waited.error();
    }
}

result<void> cluster_supervisor::start(const cluster_layout& layout, deadline by) {
    if (!layout.initialised()) {
        const auto made = initialise(layout, by);
        if (!made) return made.error();
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
        const std::lock_guard hold{asking_};
        program_ = layout.postgres;
        program_begun_ = identity_of(program_);
    }
    auto started = postmaster::start(std::move(child), server_alive_, logger_);
    if (!started) return started.error();
    server_ = std::move(*started);
    logger_.info("private PostgreSQL server started", {{"folder", layout.cluster.string()}});
    return {};
}

result<void> cluster_supervisor::initialise(const cluster_layout& layout, deadline by) const {
    std::error_code problem;
    if (fs::exists(layout.cluster, problem) && !fs::is_empty(layout.cluster, problem)) {
        return error{
            errc::storage_failed,
            fmt::format("{}: neither empty nor a PostgreSQL cluster", layout.cluster.string())};
    }
    remove_unfinished(layout);
    // Created under another name and renamed when complete, so that a cluster is never partial.
    const auto aside = layout.data_dir / fmt::format("postgres.new-{:08x}", std::random_device{}());
    logger_.info("creating the private PostgreSQL cluster", {{"folder", layout.cluster.string()}});
    const auto created = run_initdb(layout, aside, by);
    if (!created) {
        fs::remove_all(aside, problem);
        return created.error();
    }
    fs::rename(aside, layout.cluster, problem);
    if (problem) {
        return error{
            errc::storage_failed,
            fmt::format("{}: {}", layout.cluster.string(), problem.message())};
    }
    if (options_.durable) sync_folder(layout.data_dir);
    return {};
}

result<void> cluster_supervisor::run_initdb(
    const cluster_layout& layout, const fs::path& folder, deadline by) const {
    const auto created = make_private_folder(folder, layout.run_as);
    if (!created) return created.error();
    auto settings = settings_of(layout, options_.durable);
    settings.cluster = folder;
    auto arguments = initdb_arguments(settings, locale_for_cluster());
    const auto log_begin = size_of(layout.log_file);
    const auto child = start_child(child_for(layout, layout.initdb, std::move(arguments)));
    if (!child) return child.error();

    const auto status = wait_for_child(*child, by);
    if (!status) {
        ::kill(-*child, SIGKILL);  // Its whole process group, because it runs helpers.
        ::waitpid(*child, nullptr, 0);
        return error{errc::timed_out, layout.initdb.string() + " has not finished in time"};
    }
    if (*status != 0) return program_failed(layout.initdb, layout.log_file, log_begin);
    return {};
}

}  // namespace reelsd::db
