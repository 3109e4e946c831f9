#pragma once

#include <reelsd/base/unique_fd.hpp>

#include <spdlog/sinks/base_sink.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace reelsd::log {

/// Where log lines go: standard error, or a file, each in one piece at its end. While the file
/// cannot be opened or written, they go to standard error. That it cannot is said there once, and
/// in the file once it can be again. Safe to use from any thread.
class line_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    /// A message in the log's shape: what happened, and why.
    using wording = std::function<std::string(std::string_view message, std::string_view reason)>;

    /// An empty path is standard error.
    line_sink(std::filesystem::path file, wording words);

    /// Opens what has the file's name by now. Lines go on into the old file if there is none to be
    /// had. No line is lost between the two. No effect without a file.
    void reopen();

    /// Batches the lines below warning that the calling thread writes: one write() for each line
    /// was 6 % of the CPU time of a read of a reel. `flush_soon` is called with the first line of a
    /// batch and arranges for flush(). A warning, another thread's line or `batch_bytes_max` ends
    /// the batch at once, so that the order of lines is kept. Empty: no batches.
    void batch(std::function<void()> flush_soon);
    ~line_sink() override;

protected:
    void sink_it_(const spdlog::details::log_msg& message) override;
    /// Writes the batch.
    void flush_() override;

private:
    static constexpr std::size_t batch_bytes_max = 65'536;

    [[nodiscard]] unique_fd open() const;
    [[nodiscard]] bool is_batched(const spdlog::details::log_msg& message) const;
    void write(std::string_view lines, std::uint64_t count);
    void tell_failure(int number);
    [[nodiscard]] int write_again(std::string_view lines);
    [[nodiscard]] spdlog::memory_buf_t say(
        spdlog::level::level_enum at, std::string_view message, std::string_view reason);

    std::filesystem::path file_;
    wording words_;
    unique_fd opened_;
    bool is_failing_ = false;
    std::uint64_t diverted_ = 0;  ///< Lines since it fails.
    std::function<void()> flush_soon_;
    std::thread::id batching_thread_;
    spdlog::memory_buf_t batch_;
    std::uint64_t batch_lines_ = 0;
};

}  // namespace reelsd::log
