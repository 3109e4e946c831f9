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

/// Writes log lines to standard error or appends them to a file, each in one piece. While the file
/// cannot be opened or written, lines go to standard error. The failure is reported there once, and
/// in the file when it is writable again. Thread-safe.
class line_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    /// Renders a message and its reason in the log's format.
    using message_renderer =
        std::function<std::string(std::string_view message, std::string_view reason)>;

    /// An empty path is standard error.
    line_sink(std::filesystem::path file, message_renderer render);

    /// Reopens the file by its name. Continues in the old file if that fails. Loses no line. No
    /// effect without a file.
    void reopen();

    /// Batches the calling thread's lines below warning: one write() per line took 6 % of the CPU
    /// time of reading a reel. `flush_soon` is called with the first line of a batch and schedules
    /// flush(). A warning, another thread's line or `batch_bytes_max` flushes immediately, which
    /// keeps the order of lines. Empty: no batches.
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
    void report_failure(int code);
    [[nodiscard]] int write_after_failure(std::string_view lines);
    [[nodiscard]] spdlog::memory_buf_t render_line(
        spdlog::level::level_enum at, std::string_view message, std::string_view reason);

    std::filesystem::path file_;
    message_renderer render_;
    unique_fd opened_;
    bool is_failing_ = false;
    std::uint64_t diverted_ = 0;  ///< Lines since the failure.
    std::function<void()> flush_soon_;
    std::thread::id batching_thread_;
    spdlog::memory_buf_t batch_;
    std::uint64_t batch_lines_ = 0;
};

}  // namespace reelsd::log
