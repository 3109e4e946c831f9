#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <string_view>

namespace reelsd::async {

/// Owns spawned coroutines, so that they can be cancelled and awaited. The program detaches no
/// coroutine. Thread: only the loop's. Must be empty when destroyed: await `stop` first.
class task_group {
public:
    /// Called with each exception that a task throws, except cancellation, and the task's name.
    using failure_handler = std::function<void(std::string_view task, std::exception_ptr why)>;

    task_group(boost::asio::any_io_executor loop, failure_handler on_failure);
    ~task_group();

    /// Starts `task`, which must take its arguments by value. On the loop's thread it runs up to
    /// its first wait inside this call. It receives every kind of cancellation. `name` is for
    /// `on_failure` and must outlive the task, because it is not copied. Once the group is
    /// stopping, a new task is not started.
    void spawn(std::string_view name, awaitable<void> task);

    /// Asks all tasks to stop at their next wait (total cancellation) and accepts no new ones.
    void request_stop();
    /// Sends every kind of cancellation, including terminal.
    void force_stop();

    /// Waits until no task is left. Returns false if `by` passes first.
    [[nodiscard]] awaitable<bool> wait_until_empty(deadline by);

    /// Calls request_stop() and waits until `graceful`, then force_stop() and waits until `by`.
    /// Returns true when the group is empty.
    [[nodiscard]] awaitable<bool> stop(deadline graceful, deadline by);

    /// True once stopping; new tasks are not started.
    [[nodiscard]] bool is_stopping() const noexcept { return stopping_; }

    [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }

private:
    struct task_entry {
        std::string_view name;
        boost::asio::cancellation_signal cancel;
    };
    using position = std::list<task_entry>::iterator;

    awaitable<void> run(awaitable<void> task);
    void finished(position task, const std::exception_ptr& thrown);
    void emit(boost::asio::cancellation_type kind);

    boost::asio::any_io_executor loop_;
    failure_handler on_failure_;
    std::list<task_entry> tasks_;
    condition emptied_;
    bool stopping_ = false;  ///< Set by request_stop(); tasks that have not begun are not started.
};

[[nodiscard]] task_group::failure_handler log_failure(log::logger log);

}  // namespace reelsd::async
