#include "part_file.hpp"

#include "text.hpp"
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/text.hpp>

#include <fcntl.h>
#include <fmt/format.h>
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

error cannot_write(const fs::path& file, int reason) {
    return error{
        errc::storage_failed,
        fmt::format("{} cannot be written: {}", one_line(file.string()), errno_text(reason))};
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
        std::error_code ignored;  // An old part that remains is only useless.
        for (const auto& old : parts_of_target(target_)) fs::remove(old.file, ignored);
        part_ = target_;
        if (!part.etag.empty()) part_ += "." + percent_encoded(part.etag);
        part_ += suffix;
        received_ = 0;
    }
    etag_ = part.etag;
    size_ = part.size;
    const int mode = part.offset == 0 ? O_TRUNC : O_APPEND;
    file_ = unique_fd{::open(part_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0666)};
    if (file_.get() < 0) return cannot_write(part_, errno);
    return {};
}

result<void> part_file::write(std::span<const std::byte> bytes) {
    const auto written = write_all(file_.get(), bytes);
    received_ += written;
    if (written != bytes.size()) return cannot_write(part_, errno);
    return {};
}

result<void> part_file::finish() {
    if (size_ && *size_ != received_) {
        return error{
            errc::connection_failed,
            fmt::format("the server sent {} of {} bytes", received_, *size_)};
    }
    if (::close(file_.release()) != 0) return cannot_write(part_, errno);
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
