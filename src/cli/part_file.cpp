#include "part_file.hpp"

#include "text.hpp"
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/text.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace reelsd::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".part";

/// Opens a part and locks it until its descriptor is closed, so that it has one writer. Errors:
/// storage_failed, which names the target.
result<unique_fd> opened_and_locked(const fs::path& file, const fs::path& target, int flags) {
    unique_fd opened{::open(file.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666)};
    if (!opened) return cannot_write(target, errno);
    // File systems without locks are used without them.
    bool is_ours = ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    // Before it was locked, another download may have renamed it to its target.
    struct stat by_descriptor {};
    struct stat by_name {};
    is_ours = is_ours && ::fstat(opened.get(), &by_descriptor) == 0 &&
              ::stat(file.c_str(), &by_name) == 0 && by_descriptor.st_ino == by_name.st_ino;
    if (is_ours) return {boost::system::in_place_value, std::move(opened)};
    return error{
        errc::storage_failed,
        fmt::format(
            "{} cannot be written: another download is writing it", one_line(target.string()))};
}

/// Errors: storage_failed if the file has another size, because another program changed it.
result<void> check_size(const fs::path& file, int descriptor, std::uint64_t expected) {
    struct stat found {};
    if (::fstat(descriptor, &found) != 0) return cannot_write(file, errno);
    if (static_cast<std::uint64_t>(found.st_size) == expected) return {};
    return error{
        errc::storage_failed,
        fmt::format("{} was changed by another program", one_line(file.string()))};
}

/// A part in the target's folder.
struct found_part {
    fs::path file;
    std::string etag;
};

std::vector<found_part> parts_of_target(const fs::path& target) {
    const auto begin = target.filename().string() + ".";
    const auto folder = target.has_parent_path() ? target.parent_path() : fs::path{"."};
    std::vector<found_part> parts;
    std::error_code failure;
    for (fs::directory_iterator at{folder, failure}, end; !failure && at != end;
         at.increment(failure)) {
        const auto name = at->path().filename().string();
        if (!name.starts_with(begin) || !name.ends_with(suffix)) continue;
        if (name.size() < begin.size() + suffix.size()) continue;
        const auto encoded =
            std::string_view{name}.substr(begin.size(), name.size() - begin.size() - suffix.size());
        auto etag = percent_decoded(encoded);
        if (!etag || !etag->starts_with('"')) continue;
        parts.push_back({.file = at->path(), .etag = *std::move(etag)});
    }
    return parts;
}

}  // namespace

error cannot_write(const fs::path& file, int reason) {
    return error{
        errc::storage_failed,
        fmt::format("{} cannot be written: {}", one_line(file.string()), errno_text(reason))};
}

part_file::part_file(fs::path target) : target_{std::move(target)} {
    for (auto& found : parts_of_target(target_)) {
        std::error_code failure;
        const auto bytes = fs::file_size(found.file, failure);
        if (failure || bytes < received_) continue;
        received_ = bytes;
        part_ = std::move(found.file);
        etag_ = std::move(found.etag);
    }
}

result<void> part_file::begin(const download_part& part) {
    if (part.offset == 0) {
        part_ = target_;
        if (!part.etag.empty()) part_ += "." + percent_encoded(part.etag);
        part_ += suffix;
        received_ = 0;
    }
    etag_ = part.etag;
    size_ = part.size;
    file_ = {};  // An earlier attempt has the lock.
    auto opened = opened_and_locked(part_, target_, O_APPEND | (part.offset == 0 ? O_CREAT : 0));
    if (!opened) return opened.error();
    file_ = *std::move(opened);
    if (part.offset > 0) return check_size(part_, file_.get(), part.offset);
    if (::ftruncate(file_.get(), 0) != 0) return cannot_write(target_, errno);
    for (const auto& old : parts_of_target(target_)) {
        if (old.file.filename() == part_.filename()) continue;
        std::error_code ignored;  // An old part that remains is only useless.
        if (const auto unused = opened_and_locked(old.file, target_, 0))
            fs::remove(old.file, ignored);
    }
    return {};
}

result<void> part_file::write(std::span<const std::byte> bytes) {
    const auto written = write_all(file_.get(), bytes);
    received_ += written;
    if (written != bytes.size()) return cannot_write(target_, errno);
    return {};
}

result<void> part_file::finish() {
    if (size_ && *size_ != received_) {
        return error{
            errc::connection_failed,
            fmt::format("the server sent {} of {} bytes", received_, *size_)};
    }
    if (auto same = check_size(part_, file_.get(), received_); !same) return same;
    // close() reports the errors of network file systems. The duplicate keeps the lock.
    const unique_fd lock{::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0)};
    if (::close(file_.release()) != 0) return cannot_write(target_, errno);
    std::error_code failure;
    fs::rename(part_, target_, failure);
    if (failure) return cannot_write(target_, failure.value());
    return {};
}

result<void> write_file(const fs::path& target, std::string_view bytes) {
    part_file file{target};
    if (auto begun = file.begin({.offset = 0, .size = bytes.size(), .etag = {}}); !begun) {
        return begun;
    }
    if (auto written = file.write(std::as_bytes(std::span{bytes})); !written) return written;
    return file.finish();
}

}  // namespace reelsd::cli
