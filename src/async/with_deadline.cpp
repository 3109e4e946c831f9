#include <reelsd/async/with_deadline.hpp>

namespace reelsd::async {

namespace {

awaitable<bool> then_true(awaitable<void> operation) {
    co_await std::move(operation);
    co_return true;
}

}  // namespace

namespace detail {

bool is_cancellation(const std::exception_ptr& thrown) noexcept {
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& why) {
        return why.code() == boost::asio::error::operation_aborted;
    } catch (...) {
        // Not swallowed: the caller still holds the exception.
        return false;
    }
}

void rethrow_unless_timed_out(
    const std::exception_ptr& thrown, const boost::system::error_code& timer_outcome) {
    const bool deadline_passed = !timer_outcome;
    if (deadline_passed && is_cancellation(thrown)) return;
    std::rethrow_exception(thrown);
}

}  // namespace detail

awaitable<bool> with_deadline(awaitable<void> operation, deadline by) {
    auto valued = then_true(std::move(operation));
    const auto done = co_await with_deadline(std::move(valued), by);
    co_return done.has_value();
}

}  // namespace reelsd::async
