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

/// How progress is shown: one line that keeps changing, or a plain line per change.
enum class progress_style : std::uint8_t { live, plain };

/// The live line without control characters: "| reel 42: processing, 12 s", cut to `columns` cells.
[[nodiscard]] std::string progress_line(
    std::string_view what, std::chrono::seconds elapsed, std::size_t frame, std::size_t columns);

/// Shows on `out` what the command waits for. `out` is standard error, because standard output
/// contains only the result. The live style uses its own thread: the caller blocks in a request.
/// Safe from any thread.
class progress {
public:
    /// `out` must outlive this object; `columns` is the width of its terminal.
    progress(std::FILE* out, progress_style style, std::size_t columns);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    /// What is waited for now. The time shown counts from the first call on. Plain: a line, unless
    /// it is what the last one said.
    void show(std::string_view what);
    /// The same where a line changes on its own spot; plain: nothing, for what changes too often.
    void show_live(std::string_view what);
    /// show() with the text that fits the style.
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
