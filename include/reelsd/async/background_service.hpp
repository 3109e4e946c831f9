#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/core/noncopyable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::async {

/// Background work that runs until stop(). Thread: only the loop's.
class background_service : boost::noncopyable {
public:
    /// Call stop() first.
    virtual ~background_service() = default;

    /// Name for logs; valid as long as the service.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Starts the work. Call once. Does not block and does not throw.
    virtual void start() = 0;

    /// Begins nothing new and waits for work in progress. Returns false if some is left at `by`.
    [[nodiscard]] virtual awaitable<bool> stop(deadline by) = 0;
};

/// A background service that consists of one coroutine. stop() cancels it.
class background_task : public background_service {
public:
    background_task(std::string name, const boost::asio::any_io_executor& loop, log::logger log)
        : name_{std::move(name)}, log_{std::move(log)}, tasks_{loop, log_failure(log_)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    void start() override { tasks_.spawn(name_, run()); }
    [[nodiscard]] awaitable<bool> stop(deadline by) override { return tasks_.stop(by, by); }

protected:
    [[nodiscard]] const log::logger& log() const noexcept { return log_; }
    /// Waits for run() to end by itself. Returns false if `by` passes first.
    [[nodiscard]] awaitable<bool> wait_for_end(deadline by) { return tasks_.wait_until_empty(by); }

private:
    virtual awaitable<void> run() = 0;

    std::string name_;
    log::logger log_;
    task_group tasks_;
};

/// Returns a background task that runs `run`, which owns what it refers to or is outlived by it.
[[nodiscard]] std::unique_ptr<background_service> make_background_task(
    std::string name, const boost::asio::any_io_executor& loop, log::logger log,
    std::function<awaitable<void>()> run);

/// Starts background services in order. Begins their stops in reverse order and runs them
/// concurrently, because each may take most of the shutdown time. Thread: only the loop's.
class service_group {
public:
    service_group(const boost::asio::any_io_executor& loop, log::logger log)
        : log_{std::move(log)}, stops_{loop, log_failure(log_)} {}

    /// Call before start(). `service` outlives this.
    void add(background_service& service) { services_.push_back(&service); }

    void start();

    /// Returns false if a service has not stopped by `by`; logs each such service.
    [[nodiscard]] awaitable<bool> stop(deadline by);

private:
    awaitable<void> stop_one(background_service& service, deadline by);

    log::logger log_;
    std::vector<background_service*> services_;
    std::size_t stopped_ = 0;
    task_group stops_;
};

}  // namespace reelsd::async
