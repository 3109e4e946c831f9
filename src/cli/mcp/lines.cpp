#include "lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

namespace reelsd::cli::mcp {
namespace {

/// A client that reads nothing for this long counts as gone, so that this process ends.
constexpr int write_time_max_ms = 60'000;

/// poll() that restarts after signals.
int poll_restarting(std::array<pollfd, 2>& watched, int timeout_ms) {
    while (true) {
        const int ready = ::poll(watched.data(), watched.size(), timeout_ms);
        if (ready >= 0 || errno != EINTR) return ready;
    }
}

bool is_temporary_error(int code) {
    return code == EINTR || code == EAGAIN || code == EWOULDBLOCK;
}

}  // namespace

void line_splitter::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto piece = bytes.substr(0, end);
        if (!is_too_long_ && line_.size() + piece.size() > bytes_max_) {
            is_too_long_ = true;
            line_ = {};
            callbacks_.on_long_line();
        }
        if (!is_too_long_) line_.append(piece);
        if (end == std::string_view::npos) return;
        finish();
        bytes.remove_prefix(end + 1);
    }
}

void line_splitter::finish() {
    if (!is_too_long_ && !line_.empty()) callbacks_.on_line(line_);
    line_.clear();
    is_too_long_ = false;
}

stop_event::stop_event(const std::stop_token& stop)
    : event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)}, on_stop_{stop, signal{event_.get()}} {
    if (!event_) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

void stop_event::signal::operator()() const noexcept {
    const std::uint64_t once = 1;
    // Fails only if the counter is full, so that the event is already signalled.
    static_cast<void>(!::write(descriptor, &once, sizeof(once)));
}

bool is_closed(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) == -1;
}

read_end read_all(
    int descriptor, const std::function<void(std::string_view)>& on_bytes,
    const std::stop_token& stop) {
    const stop_event stop_requested{stop};
    std::string piece(std::size_t{64} * 1024, '\0');
    while (!stop.stop_requested()) {
        std::array<pollfd, 2> watched{
            {{descriptor, POLLIN, 0}, {stop_requested.descriptor(), POLLIN, 0}}};
        if (poll_restarting(watched, -1) < 0) return read_end::failed;
        if (watched[0].revents == 0) continue;
        const auto count = ::read(descriptor, piece.data(), piece.size());
        if (count < 0 && is_temporary_error(errno)) continue;
        if (count < 0) return read_end::failed;
        if (count == 0) return read_end::closed;
        on_bytes(std::string_view{piece}.substr(0, static_cast<std::size_t>(count)));
    }
    return read_end::stopped;
}

void line_writer::write(std::string line) {
    line.push_back('\n');
    const std::scoped_lock lock{mutex_};
    std::string_view rest{line};
    while (!rest.empty() && !is_broken_) {
        if (write_piece(rest)) continue;
        is_broken_ = true;  // Nothing may follow a partial line.
        on_broken_();
    }
}

bool line_writer::write_piece(std::string_view& rest) const {
    std::array<pollfd, 2> watched{{{descriptor_, POLLOUT, 0}, {stop_.descriptor(), POLLIN, 0}}};
    if (poll_restarting(watched, write_time_max_ms) <= 0) return false;
    if ((watched[0].revents & (POLLOUT | POLLERR | POLLHUP | POLLNVAL)) == 0) return false;
    // A writable pipe accepts this many bytes without blocking.
    const auto count =
        ::write(descriptor_, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (count < 0) return is_temporary_error(errno);
    rest.remove_prefix(static_cast<std::size_t>(count));
    return true;
}

}  // namespace reelsd::cli::mcp
