#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace reelsd::pipeline {

/// One attempt's folder: made empty, gone again with everything in it when this is destroyed.
class scratch_folder {
public:
    /// `storage_failed` when it cannot be made.
    static result<scratch_folder> make(std::filesystem::path path);

    scratch_folder(scratch_folder&& other) noexcept;
    scratch_folder& operator=(scratch_folder&&) = delete;
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    explicit scratch_folder(std::filesystem::path path) : path_{std::move(path)} {}

    std::filesystem::path path_;  ///< Empty when moved from.
};

/// One daemon's scratch space below `<data_dir>/scratch`. It is locked while the daemon lives; what
/// a killed one left behind is removed by the next that starts on the same data directory.
class scratch_space {
public:
    /// `storage_failed` names the folder that cannot be made or locked.
    static result<std::unique_ptr<scratch_space>> open(
        const std::filesystem::path& data_dir, const log::logger& log);

    scratch_space(const scratch_space&) = delete;
    scratch_space& operator=(const scratch_space&) = delete;
    ~scratch_space();

    /// A folder for this attempt alone. Safe from any thread.
    [[nodiscard]] result<scratch_folder> make_folder(const jobs::claimed_job& job) const;

private:
    scratch_space(std::filesystem::path folder, int lock)
        : folder_{std::move(folder)}, lock_{lock} {}

    std::filesystem::path folder_;
    int lock_;  ///< Descriptor of the folder's lock file.
};

}  // namespace reelsd::pipeline
