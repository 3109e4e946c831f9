#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace reelsd::cli {

/// One line that is redrawn, or a line for each change.
enum class progress_style : std::uint8_t { live, plain };

/// The live line without control characters: "| reel 42: processing, 12 s", cut to `columns` cells.
[[nodiscard]] std::string progress_line(
    std::string_view what, std::chrono::seconds elapsed, std::size_t frame, std::size_t columns);

/// "[####----] 4 of 8 ended".
[[nodiscard]] std::string progress_bar(std::size_t ended, std::size_t all);

/// Shows on standard error what the command waits for. The live style uses a thread, because the
/// caller blocks in requests. Thread-safe.
class progress {
public:
    /// `out` must outlive this object; `columns` is the width of its terminal.
    progress(std::FILE* out, progress_style style, std::size_t columns)
        : out_{out}, style_{style}, columns_{columns} {}
    ~progress();

    /// Shows the current activity. The time shown counts from the first call. In the plain style,
    /// repeated texts are omitted.
    void show(std::string_view what);
    /// Likewise, for frequent changes: ignored in the plain style.
    void show_live(std::string_view what);
    /// show() with a text for each style.
    void show(std::string_view plain, std::string_view live);
    /// Prints a permanent line.
    void note(std::string_view line);
    /// Removes the live line at the end of the wait.
    void finish();

private:
    void paint_until(const std::stop_token& stop);
    void erase_line();

    std::FILE* out_;
    progress_style style_;
    std::size_t columns_;

    std::mutex mutex_;
    std::condition_variable_any woken_;
    std::string what_;
    std::chrono::steady_clock::time_point since_;
    std::jthread painter_;
};

}  // namespace reelsd::cli
