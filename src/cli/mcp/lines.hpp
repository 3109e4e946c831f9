#pragma once

#include <reelsd/base/unique_fd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::cli::mcp {

/// Splits a stream of bytes into lines.
class line_splitter {
public:
    struct callbacks {
        std::function<void(std::string_view line)> on_line;  ///< Without its line break.
        std::function<void()> on_long_line;  ///< Once per line longer than `bytes_max`.
    };
    line_splitter(std::size_t bytes_max, callbacks on)
        : bytes_max_{bytes_max}, callbacks_{std::move(on)} {}

    void feed(std::string_view bytes);
    /// Ends the stream: text after the last line break is also a line.
    void finish();

private:
    std::size_t bytes_max_;
    callbacks callbacks_;
    std::string line_;          ///< The incomplete line.
    bool is_too_long_ = false;  ///< Discards the rest of the current line.
};

/// A descriptor for poll() that becomes readable when a stop is requested. The constructor throws
/// std::system_error when the system provides none.
class stop_event {
public:
    explicit stop_event(const std::stop_token& stop);

    [[nodiscard]] int descriptor() const noexcept { return event_.get(); }

private:
    struct signal {
        int descriptor;
        void operator()() const noexcept;
    };
    unique_fd event_;
    std::stop_callback<signal> on_stop_;
};

enum class read_end : std::uint8_t { closed, stopped, failed };

/// Whether a descriptor was closed at the start. The next opened file would get its number.
[[nodiscard]] bool is_closed(int descriptor);

/// Passes the input of `descriptor` to `on_bytes` until end of file or a stop request.
[[nodiscard]] read_end read_all(
    int descriptor, const std::function<void(std::string_view)>& on_bytes,
    const std::stop_token& stop);

/// Writes complete lines, one at a time. Safe from any thread; blocks while the reader is slow.
class line_writer {
public:
    /// After a stop, writes only what does not block. Calls `on_broken` once, when the reader is
    /// gone or has read nothing for a minute. The process must ignore SIGPIPE.
    line_writer(int descriptor, const std::stop_token& stop, std::function<void()> on_broken)
        : descriptor_{descriptor}, stop_{stop}, on_broken_{std::move(on_broken)} {}

    void write(std::string line);

private:
    [[nodiscard]] bool write_piece(std::string_view& rest) const;

    int descriptor_;
    stop_event stop_;
    std::function<void()> on_broken_;
    std::mutex mutex_;
    bool is_broken_ = false;
};

}  // namespace reelsd::cli::mcp
