#include "connector.hpp"

#include <reelsd/base/invariant.hpp>

#include <boost/asio/post.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace reelsd::db {

connector::connector(
    boost::asio::any_io_executor loop, std::string connection_string, session_limits limits)
    : loop_{std::move(loop)},
      connection_string_{std::move(connection_string)},
      limits_{limits},
      stop_fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    invariant(stop_fd_ >= 0);
}

connector::~connector() {
    stop();
    ::close(stop_fd_);
}

void connector::open(deadline by, completion done) {
    // The previous thread posted its outcome as its last action, so joining it does not block.
    thread_ = std::jthread{[loop = loop_,
                            text = connection_string_,
                            limits = limits_,
                            stop_fd = stop_fd_,
                            by,
                            done = std::move(done)]() mutable {
        auto outcome = open_session(text, limits, by, stop_fd);
        boost::asio::post(loop, [done = std::move(done), outcome = std::move(outcome)]() mutable {
            done(std::move(outcome));
        });
    }};
}

void connector::stop() noexcept {
    // Fails only when the counter is full, and then it is readable as well.
    static_cast<void>(::eventfd_write(stop_fd_, 1));
    if (thread_.joinable()) thread_.join();
}

}  // namespace reelsd::db
