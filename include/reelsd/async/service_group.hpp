#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/log.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <vector>

namespace reelsd::async {

/// Starts background services in order. Begins their stops in reverse order and runs them
/// concurrently, because each may take most of the shutdown time. Thread: the loop's only.
class service_group {
public:
    service_group(const boost::asio::any_io_executor& loop, log::logger log);

    /// Call before start(). `service` outlives this.
    void add(background_service& service) { services_.push_back(&service); }

    void start();

    /// Returns false if a service has not stopped by `by`; logs each such service.
    [[nodiscard]] boost::asio::awaitable<bool> stop(deadline by);

private:
    boost::asio::awaitable<void> stop_one(background_service& service, deadline by);

    log::logger log_;
    std::vector<background_service*> services_;
    std::size_t stopped_ = 0;
    task_group stops_;
};

}  // namespace reelsd::async
