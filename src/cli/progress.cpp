#include "progress.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reelsd::cli {
namespace {

/// Interval of redrawing the live line.
constexpr std::chrono::milliseconds frame_time{125};
constexpr std::string_view erase_to_end = "\x1B[K";

}  // namespace

std::string progress_line(
    std::string_view what, std::chrono::seconds elapsed, std::size_t frame, std::size_t columns) {
    constexpr std::array<char, 4> spinner{'|', '/', '-', '\\'};
    const auto time = duration_text(static_cast<double>(elapsed.count()));
    const auto line = fmt::format("{} {}, {}", spinner.at(frame % spinner.size()), what, time);
    // The last cell stays free, because some terminals wrap there.
    return std::string{prefix_that_fits(line, columns - std::min<std::size_t>(columns, 1))};
}

std::string progress_bar(std::size_t ended, std::size_t all) {
    constexpr std::size_t cells = 20;
    const auto full = all == 0 ? cells : cells * ended / all;
    return fmt::format("[{:#<{}}{:-<{}}] {} of {} ended", "", full, "", cells - full, ended, all);
}

progress::~progress() {
    finish();
}

void progress::show(std::string_view what) {
    const std::scoped_lock lock{mutex_};
    if (what == what_) return;
    what_ = what;
    if (style_ == progress_style::plain) {
        std::fputs((what_ + "\n").c_str(), out_);
        return;
    }
    woken_.notify_all();
    if (painter_.joinable()) return;
    since_ = std::chrono::steady_clock::now();
    painter_ = std::jthread{[this](const std::stop_token& stop) { paint_until(stop); }};
}

void progress::show_live(std::string_view what) {
    if (style_ == progress_style::live) show(what);
}

void progress::show(std::string_view plain, std::string_view live) {
    show(style_ == progress_style::live ? live : plain);
}

void progress::note(std::string_view line) {
    const std::scoped_lock lock{mutex_};
    if (painter_.joinable()) erase_line();
    std::fputs(std::string{line}.append("\n").c_str(), out_);
}

void progress::finish() {
    if (!painter_.joinable()) return;
    painter_.request_stop();
    painter_.join();
    const std::scoped_lock lock{mutex_};
    erase_line();
}

void progress::paint_until(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    for (std::size_t frame = 0; !stop.stop_requested(); ++frame) {
        const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(
            std::chrono::steady_clock::now() - since_);
        std::fputs("\r", out_);
        std::fputs(progress_line(what_, elapsed, frame, columns_).c_str(), out_);
        std::fputs(erase_to_end.data(), out_);
        std::fflush(out_);
        woken_.wait_for(lock, stop, frame_time, [] { return false; });
    }
}

void progress::erase_line() {
    std::fputs("\r", out_);
    std::fputs(erase_to_end.data(), out_);
    std::fflush(out_);
}

}  // namespace reelsd::cli
