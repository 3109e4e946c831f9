#include <reelsd/async/condition.hpp>
#include <reelsd/async/monotonic_timer.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

namespace reelsd::async {

/// Part of the waiting coroutine's frame. Leaves the list when the frame is destroyed.
struct condition::waiter : condition::waiter_base {
    waiter(condition& on, const boost::asio::any_io_executor& loop, deadline by)
        : timer{loop, by.when()} {
        on.waiting_.push_back(*this);
        list = &on.waiting_;
    }
    ~waiter() {
        if (is_linked()) list->erase(list->iterator_to(*this));
    }

    async::monotonic_timer timer;
    boost::intrusive::list<waiter_base>* list = nullptr;
    bool notified = false;
};

// A loop that is destroyed destroys its frames later; their waiters are then unlinked already.
condition::~condition() {
    waiting_.clear();
}

awaitable<bool> condition::wait(deadline by) {
    waiter self{*this, co_await boost::asio::this_coro::executor, by};
    const auto token = boost::asio::as_tuple(boost::asio::deferred);
    const auto [outcome] = co_await self.timer.async_wait(token);
    if (outcome && !self.notified) throw boost::system::system_error{outcome};
    co_return self.notified;
}

void condition::wake(waiter_base& woken) {
    auto& target = static_cast<waiter&>(woken);
    target.notified = true;
    target.timer.cancel();
}

void condition::notify_one() {
    if (waiting_.empty()) return;
    waiter_base& first = waiting_.front();
    waiting_.pop_front();
    wake(first);
}

}  // namespace reelsd::async
