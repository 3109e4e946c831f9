#include "target_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace reelsd::media {

result<target_file> target_file::create(const std::filesystem::path& path) {
    unique_fd file{::open(
        path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)};
    if (!file) {
        return error{
            errc::storage_failed,
            "creating the file for the media helper: " + std::generic_category().message(errno)};
    }
    return target_file{std::move(file), path};
}

target_file::target_file(unique_fd file, std::filesystem::path path) noexcept
    : file_{std::move(file)}, path_{std::move(path)} {}

target_file::~target_file() {
    if (!file_ || path_.empty()) return;
    std::error_code gone;
    std::filesystem::remove(path_, gone);
}

bool target_file::has_size(std::uint64_t bytes) const noexcept {
    struct stat about {};
    return ::fstat(file_.get(), &about) == 0 && std::cmp_equal(about.st_size, bytes);
}

}  // namespace reelsd::media
