#include <reelsd/async/task_group.hpp>
#include <reelsd/async/with_deadline.hpp>
#include <reelsd/base/invariant.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <iterator>
#include <utility>

namespace reelsd::async {

namespace asio = boost::asio;

task_group::task_group(asio::any_io_executor loop, failure_handler on_failure)
    : loop_{std::move(loop)}, on_failure_{std::move(on_failure)} {
    invariant(on_failure_ != nullptr);
}

task_group::~task_group() {
    invariant(tasks_.empty());
}

void task_group::spawn(std::string_view name, awaitable<void> task) {
    if (stopping_) return;
    auto& entry = tasks_.emplace_back();
    entry.name = name;
    const auto self = std::prev(tasks_.end());
    auto on_end = [this, self](const std::exception_ptr& thrown) { finished(self, thrown); };
    asio::co_spawn(
        loop_,
        run(std::move(task)),
        asio::bind_cancellation_slot(entry.cancel.slot(), std::move(on_end)));
}

awaitable<void> task_group::run(awaitable<void> task) {
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    // A stop between spawn and this step signalled only the cancellation state just replaced.
    if (stopping_) co_return;
    co_await std::move(task);
}

void task_group::finished(position task, const std::exception_ptr& thrown) {
    const auto name = task->name;
    tasks_.erase(task);
    if (thrown && !detail::is_cancellation(thrown)) on_failure_(name, thrown);
    if (tasks_.empty()) emptied_.notify_all();
}

void task_group::emit(asio::cancellation_type kind) {
    // A task may end, and leave the list, during the signal.
    for (auto next = tasks_.begin(); next != tasks_.end();) {
        auto& current = *next++;
        current.cancel.emit(kind);
    }
}

void task_group::request_stop() {
    stopping_ = true;
    emit(asio::cancellation_type::total);
}

void task_group::force_stop() {
    stopping_ = true;
    emit(asio::cancellation_type::all);
}

awaitable<bool> task_group::wait_until_empty(deadline by) {
    while (!tasks_.empty()) {
        const bool notified = co_await emptied_.wait(by);
        if (!notified) break;
    }
    co_return tasks_.empty();
}

awaitable<bool> task_group::stop(deadline graceful, deadline by) {
    request_stop();
    const bool ended = co_await wait_until_empty(graceful);
    if (ended) co_return true;
    force_stop();
    co_return co_await wait_until_empty(by);
}

task_group::failure_handler log_failure(log::logger log) {
    return [log = std::move(log)](std::string_view task, const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& failure) {
            log.error("task failed", {{"task", task}, {"reason", failure.what()}});
        }
    };
}

}  // namespace reelsd::async
