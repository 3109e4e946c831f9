#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace reelsd::work {

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
    /// `run` tells this process from all others, in lower-case hexadecimal digits. Waits while
    /// another daemon starts on the same data directory. `storage_failed` names the folder that
    /// cannot be made or locked.
    static result<std::unique_ptr<scratch_space>> open(
        const std::filesystem::path& data_dir, std::string_view run, const log::logger& log);

    scratch_space(const scratch_space&) = delete;
    scratch_space& operator=(const scratch_space&) = delete;
    ~scratch_space();

    /// A folder for this attempt alone. Safe from any thread.
    [[nodiscard]] result<scratch_folder> make_folder(const jobs::claimed_job& job) const;

    /// Whether the daemon of that run, on the same data directory, lives; its own does. Any text
    /// may be asked about. Safe from any thread.
    [[nodiscard]] bool is_living(std::string_view run) const;

private:
    scratch_space(std::filesystem::path folder, unique_fd lock)
        : folder_{std::move(folder)}, lock_{std::move(lock)} {}

    std::filesystem::path folder_;
    unique_fd lock_;  ///< Of the folder's lock file.
};

}  // namespace reelsd::work
