#include <reelsd/async/condition.hpp>
#include <reelsd/async/with_deadline.hpp>
#include <reelsd/base/result.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>
#include <support/loop.hpp>

#include <memory>
#include <stdexcept>
#include <string>

// Goal: an operation with a deadline returns its value, its exception, or nothing, and never
// outlives the call. Method: deadlines that have passed or are an hour ahead, so that no test
// depends on time.
namespace reelsd::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::run_on;

const auto past = deadline::after(0s);

asio::awaitable<std::string> say(std::string text) {
    co_return text;
}

asio::awaitable<std::unique_ptr<int>> move_only() {
    co_return std::make_unique<int>(7);
}

asio::awaitable<result<std::string>> refuse() {
    co_return error{errc::conflict, "no"};
}

asio::awaitable<std::string> give_no_text() {
    asio::steady_timer never{co_await asio::this_coro::executor, 1h};
    co_await never.async_wait(asio::deferred);
    co_return "unreachable";
}

asio::awaitable<std::string> fail_to_give_text() {
    throw std::runtime_error{"broken"};
    co_return "unreachable";
}

/// Returns a value when cancelled.
asio::awaitable<std::string> answer_when_cancelled() {
    try {
        co_await give_no_text();
    } catch (const boost::system::system_error&) {
        // The value exists although the deadline has passed.
    }
    co_return "late but whole";
}

TEST(WithDeadline, ReturnsTheValueInTime) {
    asio::io_context loop;
    EXPECT_EQ(run_on(loop, with_deadline(say("hello"), testing::far_deadline())), "hello");
    const auto moved = run_on(loop, with_deadline(move_only(), testing::far_deadline()));
    ASSERT_TRUE(moved);
    EXPECT_EQ(**moved, 7);
    const auto refused = run_on(loop, with_deadline(refuse(), testing::far_deadline()));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->error().code(), errc::conflict);
}

TEST(WithDeadline, ReturnsNothingAfterTheDeadline) {
    asio::io_context loop;
    EXPECT_EQ(run_on(loop, with_deadline(give_no_text(), past)), std::nullopt);
    EXPECT_EQ(run_on(loop, with_deadline(give_no_text(), deadline::after(1ms))), std::nullopt);
}

TEST(WithDeadline, ValueWinsATie) {
    asio::io_context loop;
    EXPECT_EQ(run_on(loop, with_deadline(say("at once"), past)), "at once");
    EXPECT_EQ(run_on(loop, with_deadline(answer_when_cancelled(), past)), "late but whole");
}

TEST(WithDeadline, ThrowsWhatTheOperationThrows) {
    asio::io_context loop;
    EXPECT_THROW(
        run_on(loop, with_deadline(fail_to_give_text(), testing::far_deadline())),
        std::runtime_error);
    EXPECT_THROW(run_on(loop, with_deadline(fail_to_give_text(), past)), std::runtime_error);
}

asio::awaitable<void> wait_on(condition& changed) {
    const bool notified = co_await changed.wait(testing::far_deadline());
    EXPECT_TRUE(notified);
}

TEST(WithDeadline, ReportsWhetherAnOperationWithoutValueEnded) {
    asio::io_context loop;
    condition changed;
    EXPECT_FALSE(run_on(loop, with_deadline(wait_on(changed), past)));
    EXPECT_EQ(changed.waiters(), 0U);
}

asio::awaitable<void> wait_under_deadline() {
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await with_deadline(give_no_text(), testing::far_deadline());
}

TEST(WithDeadline, CancellationOfTheCallerReachesTheOperation) {
    // A task group requests total cancellation; a spawned child receives it only if enabled.
    for (const auto kind : {asio::cancellation_type::total, asio::cancellation_type::terminal}) {
        asio::io_context loop;
        asio::cancellation_signal cancel;
        std::exception_ptr thrown;
        asio::co_spawn(
            loop,
            wait_under_deadline(),
            asio::bind_cancellation_slot(
                cancel.slot(), [&](std::exception_ptr why) { thrown = why; }));
        loop.poll();
        EXPECT_FALSE(thrown);

        cancel.emit(kind);
        loop.run();

        ASSERT_TRUE(thrown);
        EXPECT_TRUE(detail::is_cancellation(thrown));
    }
}

}  // namespace
}  // namespace reelsd::async
