#include <reelsd/base/clock.hpp>
#include <reelsd/work/analysis/scratch.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace reelsd::work {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* lock_name = ".lock";
constexpr std::string_view run_characters = "0123456789abcdef";

/// Removing gigabytes takes a second or two.
constexpr auto start_time_max = 30s;
/// Too short to be noticed at a start.
constexpr auto look_interval = 10ms;

error storage_error(const fs::path& path, const std::string& reason) {
    return error{errc::storage_failed, fmt::format("scratch folder {}: {}", path.string(), reason)};
}

/// Locks a folder. Returns no descriptor (see errno) if another process holds it or locking fails.
unique_fd lock_folder(const fs::path& folder) {
    unique_fd lock{::open((folder / lock_name).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)};
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;
        lock = {};
        errno = reason;
    }
    return lock;
}

/// The same, but waits for the holder: another daemon that starts, which takes as long as it needs
/// to remove leftovers.
unique_fd lock_folder_patiently(const fs::path& folder) {
    const auto by = deadline::after(start_time_max);
    for (;;) {
        auto lock = lock_folder(folder);
        if (lock || errno != EWOULDBLOCK || by.passed()) return lock;
        // Polls, because flock() can wait only without a deadline.
        stoppable_sleep(look_interval, {});
    }
}

std::string folder_name(std::string_view run) {
    return fmt::format("daemon-{}", run);
}

/// Removes the folders of daemons that no longer live. A folder that cannot be removed is only a
/// waste of space: it is logged, and the next start tries again.
void sweep(const fs::path& root, const log::logger& log) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator{root, failure}) {
        const auto lock = lock_folder(entry.path());
        if (!lock) continue;
        std::error_code removal_failure;
        fs::remove_all(entry.path(), removal_failure);
        if (removal_failure) {
            log.warning(
                "removing a leftover scratch folder failed",
                {{"folder", entry.path().string()}, {"reason", removal_failure.message()}});
        }
    }
}

}  // namespace

result<scratch_folder> scratch_folder::make(fs::path path) {
    std::error_code failure;
    fs::create_directory(path, failure);
    if (failure) return storage_error(path, failure.message());
    fs::permissions(path, fs::perms::owner_all, failure);
    if (failure) return storage_error(path, failure.message());
    return scratch_folder{std::move(path)};
}

scratch_folder::scratch_folder(scratch_folder&& other) noexcept
    : path_{std::exchange(other.path_, {})} {}

scratch_folder::~scratch_folder() {
    if (path_.empty()) return;
    std::error_code kept;  // Removed at the next start if it stays.
    fs::remove_all(path_, kept);
}

result<std::unique_ptr<scratch_space>> scratch_space::open(
    const fs::path& data_dir, std::string_view run, const log::logger& log) {
    const auto root = data_dir / "scratch";
    std::error_code failure;
    fs::create_directories(root, failure);
    if (failure) return storage_error(root, failure.message());
    // One start at a time, because a new folder looks like a leftover until it is locked.
    const auto starting = lock_folder_patiently(root);
    if (!starting) return storage_error(root, errno_text(errno));
    sweep(root, log);

    const auto folder = root / folder_name(run);
    const bool is_new = fs::create_directory(folder, failure);
    if (failure) return storage_error(folder, failure.message());
    if (!is_new) return storage_error(folder, "another daemon has it");
    fs::permissions(folder, fs::perms::owner_all, failure);
    if (failure) return storage_error(folder, failure.message());
    auto lock = lock_folder(folder);
    if (!lock) return storage_error(folder, errno_text(errno));
    return std::unique_ptr<scratch_space>{new scratch_space{folder, std::move(lock)}};
}

scratch_space::~scratch_space() {
    std::error_code kept;  // Removed at the next start if it stays.
    fs::remove_all(folder_, kept);
}

bool scratch_space::is_living(std::string_view run) const {
    const bool is_name = !run.empty() && run.find_first_not_of(run_characters) == run.npos;
    if (!is_name) return false;  // Not a name of this program; it could be any path.
    const auto file = folder_.parent_path() / folder_name(run) / lock_name;
    const unique_fd lock{::open(file.c_str(), O_RDWR | O_CLOEXEC)};
    return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

result<scratch_folder> scratch_space::make_folder(const jobs::claimed_job& job) const {
    return scratch_folder::make(folder_ / fmt::format("{}-{}", job.id.value, job.claim));
}

}  // namespace reelsd::work
