#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/log.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace reelsd::async {

/// Returns a handler that logs exceptions of tasks.
[[nodiscard]] task_group::failure_handler log_failure(log::logger log);

/// A background service that consists of one coroutine. stop() cancels it.
class background_task : public background_service {
public:
    background_task(std::string name, const boost::asio::any_io_executor& loop, log::logger log)
        : name_{std::move(name)}, log_{std::move(log)}, tasks_{loop, log_failure(log_)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    void start() override { tasks_.spawn(name_, run()); }
    [[nodiscard]] boost::asio::awaitable<bool> stop(deadline by) override {
        return tasks_.stop(by, by);
    }

protected:
    [[nodiscard]] const log::logger& log() const noexcept { return log_; }
    /// Waits for run() to end by itself. Returns false if `by` passes first.
    [[nodiscard]] boost::asio::awaitable<bool> wait_for_end(deadline by) {
        return tasks_.wait_until_empty(by);
    }

private:
    virtual boost::asio::awaitable<void> run() = 0;

    std::string name_;
    log::logger log_;
    task_group tasks_;
};

}  // namespace reelsd::async
