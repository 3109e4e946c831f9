#pragma once

#include <reelsd/base/log.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace reelsd::app {

/// While it lives, the lines of each turn of the loop are one write. Whatever ends the loop:
/// nothing is kept back when there is nobody left to release it.
class kept_lines {
public:
    kept_lines(const log::logger& log, boost::asio::io_context& loop) : log_{log} {
        log_.keep_lines(
            [&loop, copy = log] { boost::asio::post(loop, [copy] { copy.release(); }); });
    }
    kept_lines(const kept_lines&) = delete;
    kept_lines& operator=(const kept_lines&) = delete;
    ~kept_lines() { log_.keep_no_lines(); }

private:
    const log::logger& log_;
};

}  // namespace reelsd::app
