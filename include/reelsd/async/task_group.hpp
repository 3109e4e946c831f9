#pragma once

#include <reelsd/async/condition.hpp>
#include <reelsd/base/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <string_view>

namespace reelsd::async {

/// Owns every coroutine that is spawned: each can be told to stop, and waited for. Nothing in the
/// house is detached. Thread: the loop's only. Must be empty when destroyed: await `stop` first.
class task_group {
public:
    /// Told of an exception that left a task, with the task's name; cancellation is none.
    using failure_handler = std::function<void(std::string_view task, std::exception_ptr why)>;

    task_group(boost::asio::any_io_executor loop, failure_handler on_failure);
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;
    ~task_group();

    /// Starts `task` (its arguments taken by value): on the loop's thread it runs up to its first
    /// wait inside this call. It hears every kind of cancellation. `name` is for `on_failure`; a
    /// literal, as it is not copied. After `cancel` a new task starts in the cancelled state's
    /// place: it is not started at all.
    void spawn(std::string_view name, boost::asio::awaitable<void> task);

    /// Asks all tasks to stop at their next wait (total cancellation) and takes no new ones.
    void ask_to_stop();
    /// Insists (terminal cancellation).
    void insist_on_stop();

    /// Waits until no task is left: true, or false when `by` passed first.
    [[nodiscard]] boost::asio::awaitable<bool> wait_until_empty(deadline by);

    /// The two phases: asks, waits until `graceful`, insists, waits until `by`. True when empty.
    [[nodiscard]] boost::asio::awaitable<bool> stop(deadline graceful, deadline by);

    /// A task that is spawned now is not started.
    [[nodiscard]] bool is_stopping() const noexcept { return stopping_; }

    [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }

private:
    struct task_entry {
        std::string_view name;
        boost::asio::cancellation_signal cancel;
    };
    using position = std::list<task_entry>::iterator;

    boost::asio::awaitable<void> run(boost::asio::awaitable<void> task);
    void finished(position task, const std::exception_ptr& thrown);
    void emit(boost::asio::cancellation_type kind);

    boost::asio::any_io_executor loop_;
    failure_handler on_failure_;
    std::list<task_entry> tasks_;
    condition emptied_;
    /// What the tasks were told; one that has not begun by then never does.
    bool stopping_ = false;
};

}  // namespace reelsd::async
