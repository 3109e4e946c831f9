#include <reelsd/pipeline/scratch.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace reelsd::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";

error storage_error(const fs::path& path, const std::string& reason) {
    return error{errc::storage_failed, fmt::format("scratch folder {}: {}", path.string(), reason)};
}

std::string system_reason(int code) {
    return std::generic_category().message(code);
}

/// The descriptor of the folder's lock, or -1 when it cannot be had (errno tells why).
int lock_folder(const fs::path& folder) {
    const int lock = ::open((folder / lock_name).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (lock < 0) return -1;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
    const int reason = errno;
    ::close(lock);
    errno = reason;
    return -1;
}

/// Removes the folders of daemons that no longer live. A folder that cannot be removed is only a
/// waste of space: it is logged, and the next start tries again.
void sweep(const fs::path& root, const log::logger& log) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator{root, failure}) {
        const int lock = lock_folder(entry.path());
        if (lock < 0) continue;
        std::error_code kept;
        fs::remove_all(entry.path(), kept);
        ::close(lock);
        if (kept) {
            log.warning(
                "leftover scratch folder cannot be removed",
                {{"folder", entry.path().string()}, {"reason", kept.message()}});
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
    std::error_code kept;  // Swept at the next start if it stays.
    fs::remove_all(path_, kept);
}

result<std::unique_ptr<scratch_space>> scratch_space::open(
    const fs::path& data_dir, const log::logger& log) {
    const auto root = data_dir / "scratch";
    std::error_code failure;
    fs::create_directories(root, failure);
    if (failure) return storage_error(root, failure.message());
    sweep(root, log);

    // mkdtemp makes the name unique, also between daemons in containers with equal process ids.
    std::string name = (root / "daemon-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return storage_error(root, system_reason(errno));
    const int lock = lock_folder(name);
    if (lock < 0) return storage_error(name, system_reason(errno));
    return std::unique_ptr<scratch_space>{new scratch_space{name, lock}};
}

scratch_space::~scratch_space() {
    std::error_code kept;  // Swept at the next start if it stays.
    fs::remove_all(folder_, kept);
    ::close(lock_);
}

result<scratch_folder> scratch_space::make_folder(const jobs::claimed_job& job) const {
    return scratch_folder::make(folder_ / fmt::format("{}-{}", job.id.value, job.claim));
}

}  // namespace reelsd::pipeline
