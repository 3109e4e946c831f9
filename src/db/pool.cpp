#include "pending_query.hpp"
#include "pool_core.hpp"
#include "session.hpp"
#include <reelsd/db/pool.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace reelsd::db {
namespace {

/// Hands a suspended coroutine over to the pool. A named type, not a lambda: g++ 12 may destroy the
/// captures of a lambda in the same expression as co_await twice.
struct start_query {
    asio::any_io_executor loop;
    std::shared_ptr<pool_core> core;

    template <class Handler>
    void operator()(Handler&& handler, const std::shared_ptr<pending_query>& one) const {
        // Swapped, not assigned: in Boost 1.81 the move assignment of this type calls itself
        // forever.
        waiter caller{std::forward<Handler>(handler)};
        one->caller.swap(caller);
        auto slot = asio::get_associated_cancellation_slot(one->caller);
        if (slot.is_connected()) {
            // Posted, because ending the query removes this handler from the slot, which must not
            // happen while it runs.
            slot.assign([where = loop, weak = std::weak_ptr{core}, one](asio::cancellation_type) {
                asio::post(where, [weak, one] {
                    if (const auto still = weak.lock()) still->cancel(one);
                });
            });
        }
        core->submit(one);
    }
};

/// As the server itself calls text that it cannot take.
std::exception_ptr unsendable(const query& what) {
    const server_error why{
        .sqlstate = "22021",
        .constraint = {},
        .message = "a parameter holds a NUL character or a time out of range"};
    return failure_of(what.name(), why);
}

}  // namespace

pool::pool(asio::any_io_executor loop, pool_options options, log::logger logger)
    : core_{std::make_shared<pool_core>(std::move(loop), std::move(options), std::move(logger))} {}

pool::~pool() {
    core_->close();
}

void pool::start() {
    core_->start();
}

void pool::close() {
    core_->close();
}

asio::awaitable<bool> pool::suspend(suspension limits) {
    core_->suspend(limits.waiting_by);
    while (!core_->owes_nothing() && !limits.settled_by.passed()) {
        co_await core_->settled().wait(limits.settled_by);
    }
    core_->close_idle();
    co_return core_->owes_nothing();
}

void pool::resume() {
    core_->resume();
}

asio::awaitable<rows> pool::run_with(deadline by, query what, std::vector<parameter> parameters) {
    for (const auto& value : parameters) {
        if (!value.sendable()) std::rethrow_exception(unsendable(what));
    }
    const auto pending = std::make_shared<pending_query>(
        pending_query{.what = what, .parameters = std::move(parameters), .by = by});
    const start_query start{core_->loop(), core_};
    co_return co_await asio::
        async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, rows)>(
            start, asio::use_awaitable, pending);
}

asio::awaitable<void> pool::checkpoint(deadline by) {
    static constexpr query checkpoint_query{"db.checkpoint", "CHECKPOINT"};
    co_await run(by, checkpoint_query);
}

pool_state pool::state() const {
    return core_->state();
}

const metrics_by_query& pool::metrics() const noexcept {
    return core_->metrics();
}

}  // namespace reelsd::db
