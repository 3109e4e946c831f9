#pragma once

#include "session.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <string>
#include <thread>

namespace reelsd::db {

/// Opens connections on its own thread, one at a time, because libpq may block while it resolves
/// names, reads password files and negotiates TLS. Call it on the loop's thread.
class connector {
public:
    using completion = std::function<void(result<connection_ptr>)>;

    /// `loop` outlives this.
    connector(
        boost::asio::any_io_executor loop, std::string connection_string, session_limits limits);
    connector(const connector&) = delete;
    connector& operator=(const connector&) = delete;
    /// Calls stop().
    ~connector();

    /// Opens one connection and posts `done` to the loop. `done` may run after this object is
    /// destroyed. Call again only after `done` has been called.
    void open(deadline by, completion done);

    /// Ends an attempt in progress (its `done` gets `cancelled`) and waits for its thread. Final.
    void stop() noexcept;

private:
    boost::asio::any_io_executor loop_;
    std::string connection_string_;
    session_limits limits_;
    int stop_fd_;
    std::jthread thread_;
};

}  // namespace reelsd::db
