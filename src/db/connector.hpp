#pragma once

#include "session.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <string>
#include <thread>

namespace reelsd::db {

/// Opens connections on a thread of its own, one at a time: libpq resolves names, reads password
/// files and may talk TLS while it connects, all of which can block. Used on the loop's thread.
class connector {
public:
    using completion = std::function<void(result<connection_ptr>)>;

    /// `loop` outlives this.
    connector(
        boost::asio::any_io_executor loop, std::string connection_string, session_limits limits);
    connector(const connector&) = delete;
    connector& operator=(const connector&) = delete;
    /// As stop().
    ~connector();

    /// Opens one connection; `done` is posted to the loop, and must bear to outlive this object.
    /// One attempt at a time: the next only after `done` has been called.
    void open(deadline by, completion done);

    /// Ends an attempt under way and waits for its thread; its `done` gets `cancelled`. For good.
    void stop() noexcept;

private:
    boost::asio::any_io_executor loop_;
    std::string connection_string_;
    session_limits limits_;
    int stop_fd_;
    std::jthread thread_;
};

}  // namespace reelsd::db
