#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <cstdint>
#include <filesystem>

namespace reelsd::media {

/// A file that a child fills: created or emptied (mode 0600), and removed again unless it is kept.
class target_file {
public:
    /// storage_failed.
    static result<target_file> create(const std::filesystem::path& path);

    target_file(target_file&& other) noexcept = default;
    target_file& operator=(target_file&&) = delete;
    target_file(const target_file&) = delete;
    target_file& operator=(const target_file&) = delete;
    ~target_file();

    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
    /// Whether it has as many bytes as the child says.
    [[nodiscard]] bool has_size(std::uint64_t bytes) const noexcept;
    void keep() noexcept { path_.clear(); }

private:
    target_file(unique_fd file, std::filesystem::path path) noexcept;

    unique_fd file_;
    std::filesystem::path path_;  ///< Empty once it is kept.
};

}  // namespace reelsd::media
