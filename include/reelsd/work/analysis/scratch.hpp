#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <filesystem>
#include <memory>
#include <string_view>

namespace reelsd::work {

/// The folder of one attempt. Created empty; the destructor removes it with its contents.
class scratch_folder {
public:
    /// Creates the folder. Errors: `storage_failed`.
    static result<scratch_folder> make(std::filesystem::path path);

    scratch_folder(scratch_folder&& other) noexcept;
    ~scratch_folder();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    explicit scratch_folder(std::filesystem::path path) : path_{std::move(path)} {}

    std::filesystem::path path_;  ///< Empty when moved from.
};

/// One daemon's scratch space below `<data_dir>/scratch`, locked while the daemon lives. The next
/// start on the same data directory removes leftovers of killed daemons.
class scratch_space {
public:
    /// `run` identifies this process, in lower-case hexadecimal digits. Waits while another daemon
    /// starts on the same data directory. Errors: `storage_failed`, with the folder that cannot be
    /// created or locked.
    static result<std::unique_ptr<scratch_space>> open(
        const std::filesystem::path& data_dir, std::string_view run, const log::logger& log);

    ~scratch_space();

    /// Creates a folder for this attempt. Thread-safe.
    [[nodiscard]] result<scratch_folder> make_folder(const jobs::claimed_job& job) const;

    /// Returns whether the daemon of that run, on the same data directory, lives (true for its own
    /// run). Accepts any text. Thread-safe.
    [[nodiscard]] bool is_living(std::string_view run) const;

private:
    scratch_space(std::filesystem::path folder, unique_fd lock)
        : folder_{std::move(folder)}, lock_{std::move(lock)} {}

    std::filesystem::path folder_;
    unique_fd lock_;  ///< Lock file of the folder.
};

}  // namespace reelsd::work
