#include <reelsd/db/shared_statement.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

// Goal: concurrent requests share a statement, and one bad request does not fail the others.
// Method: a simulated server of coroutines, which answers when the test requests it.
namespace reelsd::db {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using request = int;
using answer = std::string;
using answers = std::vector<std::optional<answer>>;

class SharedStatement : public ::testing::Test {
protected:
    /// A statement in progress; `statements_` lists them in the order of their start.
    struct statement {
        statement(asio::io_context& loop, std::vector<request> all)
            : requests{std::move(all)}, answered{loop, asio::steady_timer::time_point::max()} {}

        std::vector<request> requests;
        asio::steady_timer answered;
        std::function<answers(const std::vector<request>&)> give;
    };

    static answers doubled(const std::vector<request>& requests) {
        answers all;
        for (const auto number : requests) all.emplace_back(std::to_string(2 * number));
        return all;
    }

    asio::awaitable<answers> serve(const std::vector<request>& requests, deadline by) {
        deadlines_.push_back(by);
        auto& sent = statements_.emplace_back(loop_, requests);
        boost::system::error_code woken;
        co_await sent.answered.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        co_return sent.give(sent.requests);
    }

    [[nodiscard]] shared_statement<request, answer> shared(batching limits) {
        return {
            loop_.get_executor(),
            tasks_,
            limits,
            [this](const std::vector<request>& all, deadline by) { return serve(all, by); }};
    }

    /// Adds a request and records the answer as "1=2" or the exception as "1!reason".
    void add(
        const shared_statement<request, answer>& batcher, request number,
        deadline by = deadline::after(1h)) {
        batcher.answer(number, by)([this, number](auto reply) {
            auto note = std::to_string(number);
            try {
                replies_.push_back(note + "=" + std::move(reply).value());
            } catch (const std::exception& why) {
                replies_.push_back(note.append("!").append(why.what()));
            }
        });
    }

    void run_ready() {
        loop_.restart();
        loop_.poll();
    }

    void give(std::size_t number, std::function<answers(const std::vector<request>&)> how) {
        statements_.at(number).give = std::move(how);
        statements_.at(number).answered.cancel();
        run_ready();
    }

    asio::io_context loop_{1};
    async::task_group tasks_{loop_.get_executor(), [](auto, const auto&) { FAIL(); }};
    std::deque<statement> statements_;
    std::vector<deadline> deadlines_;
    std::vector<std::string> replies_;
};

TEST_F(SharedStatement, RequestsOfOneTurnAreOneStatement) {
    const auto batcher = shared({});
    const auto early = deadline::after(1min);
    add(batcher, 1);
    add(batcher, 2, early);
    add(batcher, 3);
    run_ready();
    ASSERT_EQ(statements_.size(), 1U);
    EXPECT_THAT(statements_[0].requests, ElementsAre(1, 2, 3));
    EXPECT_EQ(deadlines_[0].when(), early.when()) << "no request waits beyond its deadline";
    EXPECT_THAT(replies_, IsEmpty());
    give(0, doubled);
    EXPECT_THAT(replies_, ElementsAre("1=2", "2=4", "3=6"));
}

TEST_F(SharedStatement, RequestsDuringAStatementShareTheNext) {
    const auto batcher = shared({.statements_max = 1, .batch_size_max = 2, .max_delay = 1h});
    add(batcher, 1);
    run_ready();
    for (const request number : {2, 3, 4}) add(batcher, number);
    run_ready();
    ASSERT_EQ(statements_.size(), 1U);
    give(0, doubled);
    ASSERT_EQ(statements_.size(), 2U);
    EXPECT_THAT(statements_[1].requests, ElementsAre(2, 3));
    give(1, doubled);
    give(2, doubled);
    EXPECT_THAT(replies_, ElementsAre("1=2", "2=4", "3=6", "4=8"));
}

TEST_F(SharedStatement, ABlockedStatementDoesNotDelayLaterRequests) {
    const auto batcher = shared({.statements_max = 1, .max_delay = 1ms});
    add(batcher, 1);
    run_ready();
    add(batcher, 2);
    loop_.restart();
    while (statements_.size() < 2) loop_.run_one();
    EXPECT_THAT(statements_[1].requests, ElementsAre(2));
    give(1, doubled);
    EXPECT_THAT(replies_, ElementsAre("2=4"));
    give(0, doubled);
    EXPECT_THAT(replies_, ElementsAre("2=4", "1=2"));
    add(batcher, 3);
    run_ready();
    EXPECT_EQ(statements_.size(), 3U) << "both statements have ended";
    give(2, doubled);
}

TEST_F(SharedStatement, ANewRequestWaitsForTheStatementInProgress) {
    const auto batcher = shared({.statements_max = 1, .max_delay = 1h});
    add(batcher, 1);
    run_ready();
    add(batcher, 2);
    run_ready();
    give(0, doubled);
    add(batcher, 3);
    run_ready();
    EXPECT_EQ(statements_.size(), 2U) << "it waits for the statement in progress";
    give(1, doubled);
    give(2, doubled);
    EXPECT_THAT(replies_, ElementsAre("1=2", "2=4", "3=6"));
}

TEST_F(SharedStatement, RequestsBeyondTheLimitAreSentLater) {
    const auto batcher = shared({.statements_max = 1, .batch_size_max = 2, .max_delay = 1ms});
    for (const request number : {1, 2, 3}) add(batcher, number);
    run_ready();
    loop_.restart();
    while (statements_.size() < 2) loop_.run_one();
    EXPECT_THAT(statements_[1].requests, ElementsAre(3)) << "the first statement is blocked";
    give(0, doubled);
    give(1, doubled);
    EXPECT_EQ(replies_.size(), 3U);
}

TEST_F(SharedStatement, RequestsAreRetriedOneByOneAfterContention) {
    const auto batcher = shared({});
    add(batcher, 1);
    add(batcher, 2);
    run_ready();
    give(0, [](const auto&) -> answers { throw unavailable{outage::contention, "locked"}; });
    ASSERT_EQ(statements_.size(), 3U);
    give(1, doubled);
    give(2, doubled);
    EXPECT_THAT(replies_, ElementsAre("1=2", "2=4"));
}

TEST_F(SharedStatement, AFullDiskIsNotRetriedOneByOne) {
    const auto batcher = shared({});
    add(batcher, 1);
    add(batcher, 2);
    run_ready();
    give(0, [](const auto&) -> answers { throw refused{"53100", "no space"}; });
    EXPECT_EQ(statements_.size(), 1U);
    EXPECT_EQ(replies_.size(), 2U);
}

TEST_F(SharedStatement, AnUrgentRequestDoesNotShortenTheDeadlineOfOthers) {
    const auto batcher = shared({});
    const auto late = deadline::after(400ms);
    add(batcher, 1);
    add(batcher, 2, late);
    add(batcher, 3);
    run_ready();
    ASSERT_EQ(statements_.size(), 2U);
    const auto is_alone = [](const statement& sent) { return sent.requests.size() == 1; };
    EXPECT_EQ(std::count_if(statements_.begin(), statements_.end(), is_alone), 1);
    EXPECT_NE(deadlines_[is_alone(statements_[0]) ? 1 : 0].when(), late.when());
    give(0, doubled);
    give(1, doubled);
    EXPECT_THAT(replies_, ::testing::UnorderedElementsAre("1=2", "2=4", "3=6"));
}

TEST_F(SharedStatement, EveryRequestIsAnsweredAtTheStop) {
    const auto batcher = shared({});
    tasks_.request_stop();
    add(batcher, 1);
    run_ready();
    EXPECT_THAT(statements_, IsEmpty());
    EXPECT_THAT(replies_, ElementsAre("1!closed: the daemon is stopping"));
}

TEST_F(SharedStatement, AFailureFailsAllRequests) {
    const auto batcher = shared({});
    add(batcher, 1);
    add(batcher, 2);
    run_ready();
    give(0, [](const auto&) -> answers { throw unavailable{outage::connection_lost, "gone"}; });
    EXPECT_THAT(replies_, ElementsAre("1!connection_lost: gone", "2!connection_lost: gone"));
    EXPECT_EQ(statements_.size(), 1U) << "it may have run, so nothing is retried";
}

TEST_F(SharedStatement, RequestsAreRetriedOneByOneAfterARefusal) {
    const auto batcher = shared({});
    for (const request number : {1, 2, 3}) add(batcher, number);
    run_ready();
    const auto refuse_two = [](const std::vector<request>& all) -> answers {
        for (const auto number : all) {
            if (number == 2) throw refused{"22021", "no such text"};
        }
        return doubled(all);
    };
    give(0, refuse_two);
    ASSERT_EQ(statements_.size(), 4U);
    for (const std::size_t number : {1U, 2U, 3U}) give(number, refuse_two);
    EXPECT_THAT(replies_, ElementsAre("1=2", "2!22021: no such text", "3=6"));
}

TEST_F(SharedStatement, AnUnansweredRequestIsRetriedAlone) {
    const auto batcher = shared({.statements_max = 1, .max_delay = 1h});
    for (const request number : {1, 2, 3}) add(batcher, number);
    run_ready();
    give(0, [](const auto&) -> answers { return {"2", std::nullopt, "6"}; });
    EXPECT_THAT(replies_, ElementsAre("1=2", "3=6"));
    ASSERT_EQ(statements_.size(), 2U);
    EXPECT_THAT(statements_[1].requests, ElementsAre(2));
    add(batcher, 4);
    run_ready();
    ASSERT_EQ(statements_.size(), 3U) << "it does not count toward the limit";
    give(2, doubled);
    give(1, doubled);
    EXPECT_THAT(replies_, ElementsAre("1=2", "3=6", "4=8", "2=4"));
}

}  // namespace
}  // namespace reelsd::db
