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

// Goal: concurrent questions share a statement, and one bad question does not fail the others.
// Method: a server of coroutines, which answers when the test tells it to.
namespace reelsd::db {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using question = int;
using answer = std::string;
using answers = std::vector<std::optional<answer>>;

class SharedStatement : public testing::Test {
protected:
    /// A statement in progress; `statements_` lists them in the order of their start.
    struct statement {
        statement(asio::io_context& loop, std::vector<question> all)
            : questions{std::move(all)}, answered{loop, asio::steady_timer::time_point::max()} {}

        std::vector<question> questions;
        asio::steady_timer answered;
        std::function<answers(const std::vector<question>&)> give;
    };

    static answers doubled(const std::vector<question>& questions) {
        answers all;
        for (const auto one : questions) all.emplace_back(std::to_string(2 * one));
        return all;
    }

    asio::awaitable<answers> serve(const std::vector<question>& questions, deadline by) {
        deadlines_.push_back(by);
        auto& one = statements_.emplace_back(loop_, questions);
        boost::system::error_code woken;
        co_await one.answered.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        co_return one.give(one.questions);
    }

    [[nodiscard]] shared_statement<question, answer> shared(batching limits) {
        return {
            loop_.get_executor(),
            tasks_,
            limits,
            [this](const std::vector<question>& all, deadline by) { return serve(all, by); }};
    }

    /// Asks a question and records the answer as "1=2" or the exception as "1!reason".
    void ask(
        const shared_statement<question, answer>& batcher, question number,
        deadline by = deadline::after(1h)) {
        batcher.answer(number, by)([this, number](auto reply) {
            auto note = std::to_string(number);
            try {
                said_.push_back(note + "=" + std::move(reply).value());
            } catch (const std::exception& why) {
                said_.push_back(note.append("!").append(why.what()));
            }
        });
    }

    void run_ready() {
        loop_.restart();
        loop_.poll();
    }

    void give(std::size_t number, std::function<answers(const std::vector<question>&)> how) {
        statements_.at(number).give = std::move(how);
        statements_.at(number).answered.cancel();
        run_ready();
    }

    asio::io_context loop_{1};
    async::task_group tasks_{loop_.get_executor(), [](auto, const auto&) { FAIL(); }};
    std::deque<statement> statements_;
    std::vector<deadline> deadlines_;
    std::vector<std::string> said_;
};

TEST_F(SharedStatement, QuestionsOfOneTurnAreOneStatement) {
    const auto batcher = shared({});
    const auto early = deadline::after(1min);
    ask(batcher, 1);
    ask(batcher, 2, early);
    ask(batcher, 3);
    run_ready();
    ASSERT_EQ(statements_.size(), 1U);
    EXPECT_THAT(statements_[0].questions, ElementsAre(1, 2, 3));
    EXPECT_EQ(deadlines_[0].when(), early.when()) << "no question waits beyond its deadline";
    EXPECT_THAT(said_, IsEmpty());
    give(0, doubled);
    EXPECT_THAT(said_, ElementsAre("1=2", "2=4", "3=6"));
}

TEST_F(SharedStatement, QuestionsDuringAStatementShareTheNext) {
    const auto batcher = shared({.statements_max = 1, .questions_max = 2, .held_max = 1h});
    ask(batcher, 1);
    run_ready();
    for (const question number : {2, 3, 4}) ask(batcher, number);
    run_ready();
    ASSERT_EQ(statements_.size(), 1U);
    give(0, doubled);
    ASSERT_EQ(statements_.size(), 2U);
    EXPECT_THAT(statements_[1].questions, ElementsAre(2, 3));
    give(1, doubled);
    give(2, doubled);
    EXPECT_THAT(said_, ElementsAre("1=2", "2=4", "3=6", "4=8"));
}

TEST_F(SharedStatement, ABlockedStatementDoesNotDelayLaterQuestions) {
    const auto batcher = shared({.statements_max = 1, .held_max = 1ms});
    ask(batcher, 1);
    run_ready();
    ask(batcher, 2);
    loop_.restart();
    while (statements_.size() < 2) loop_.run_one();
    EXPECT_THAT(statements_[1].questions, ElementsAre(2));
    give(1, doubled);
    EXPECT_THAT(said_, ElementsAre("2=4"));
    give(0, doubled);
    EXPECT_THAT(said_, ElementsAre("2=4", "1=2"));
    ask(batcher, 3);
    run_ready();
    EXPECT_EQ(statements_.size(), 3U) << "both places are free again";
    give(2, doubled);
}

TEST_F(SharedStatement, ANewQuestionWaitsForTheStatementInProgress) {
    const auto batcher = shared({.statements_max = 1, .held_max = 1h});
    ask(batcher, 1);
    run_ready();
    ask(batcher, 2);
    run_ready();
    give(0, doubled);
    ask(batcher, 3);
    run_ready();
    EXPECT_EQ(statements_.size(), 2U) << "it waits for the statement in progress";
    give(1, doubled);
    give(2, doubled);
    EXPECT_THAT(said_, ElementsAre("1=2", "2=4", "3=6"));
}

TEST_F(SharedStatement, QuestionsBeyondTheLimitAreSentLater) {
    const auto batcher = shared({.statements_max = 1, .questions_max = 2, .held_max = 1ms});
    for (const question number : {1, 2, 3}) ask(batcher, number);
    run_ready();
    loop_.restart();
    while (statements_.size() < 2) loop_.run_one();
    EXPECT_THAT(statements_[1].questions, ElementsAre(3)) << "the first statement is blocked";
    give(0, doubled);
    give(1, doubled);
    EXPECT_EQ(said_.size(), 3U);
}

TEST_F(SharedStatement, QuestionsAreRetriedOneByOneAfterContention) {
    const auto batcher = shared({});
    ask(batcher, 1);
    ask(batcher, 2);
    run_ready();
    give(0, [](const auto&) -> answers { throw unavailable{outage::contention, "locked"}; });
    ASSERT_EQ(statements_.size(), 3U);
    give(1, doubled);
    give(2, doubled);
    EXPECT_THAT(said_, ElementsAre("1=2", "2=4"));
}

TEST_F(SharedStatement, AFullDiskIsNotRetriedOneByOne) {
    const auto batcher = shared({});
    ask(batcher, 1);
    ask(batcher, 2);
    run_ready();
    give(0, [](const auto&) -> answers { throw refused{"53100", "", "no space"}; });
    EXPECT_EQ(statements_.size(), 1U);
    EXPECT_EQ(said_.size(), 2U);
}

TEST_F(SharedStatement, AnUrgentQuestionDoesNotShortenTheDeadlineOfOthers) {
    const auto batcher = shared({});
    const auto late = deadline::after(400ms);
    ask(batcher, 1);
    ask(batcher, 2, late);
    ask(batcher, 3);
    run_ready();
    ASSERT_EQ(statements_.size(), 2U);
    const auto is_alone = [](const statement& one) { return one.questions.size() == 1; };
    EXPECT_EQ(std::count_if(statements_.begin(), statements_.end(), is_alone), 1);
    EXPECT_NE(deadlines_[is_alone(statements_[0]) ? 1 : 0].when(), late.when());
    give(0, doubled);
    give(1, doubled);
    EXPECT_THAT(said_, testing::UnorderedElementsAre("1=2", "2=4", "3=6"));
}

TEST_F(SharedStatement, EveryQuestionIsAnsweredAtTheStop) {
    const auto batcher = shared({});
    tasks_.ask_to_stop();
    ask(batcher, 1);
    run_ready();
    EXPECT_THAT(statements_, IsEmpty());
    EXPECT_THAT(said_, ElementsAre("1!closed: the daemon is stopping"));
}

TEST_F(SharedStatement, AFailureFailsAllQuestions) {
    const auto batcher = shared({});
    ask(batcher, 1);
    ask(batcher, 2);
    run_ready();
    give(0, [](const auto&) -> answers { throw unavailable{outage::connection_lost, "gone"}; });
    EXPECT_THAT(said_, ElementsAre("1!connection_lost: gone", "2!connection_lost: gone"));
    EXPECT_EQ(statements_.size(), 1U) << "it may have run, so nothing is retried";
}

TEST_F(SharedStatement, QuestionsAreRetriedOneByOneAfterARefusal) {
    const auto batcher = shared({});
    for (const question number : {1, 2, 3}) ask(batcher, number);
    run_ready();
    const auto refuse_two = [](const std::vector<question>& all) -> answers {
        for (const auto one : all) {
            if (one == 2) throw refused{"22021", "", "no such text"};
        }
        return doubled(all);
    };
    give(0, refuse_two);
    ASSERT_EQ(statements_.size(), 4U);
    for (const std::size_t number : {1U, 2U, 3U}) give(number, refuse_two);
    EXPECT_THAT(said_, ElementsAre("1=2", "2!22021: no such text", "3=6"));
}

TEST_F(SharedStatement, AnUnansweredQuestionIsRetriedAlone) {
    const auto batcher = shared({.statements_max = 1, .held_max = 1h});
    for (const question number : {1, 2, 3}) ask(batcher, number);
    run_ready();
    give(0, [](const auto&) -> answers { return {"2", std::nullopt, "6"}; });
    EXPECT_THAT(said_, ElementsAre("1=2", "3=6"));
    ASSERT_EQ(statements_.size(), 2U);
    EXPECT_THAT(statements_[1].questions, ElementsAre(2));
    ask(batcher, 4);
    run_ready();
    ASSERT_EQ(statements_.size(), 3U) << "it does not count toward the limit";
    give(2, doubled);
    give(1, doubled);
    EXPECT_THAT(said_, ElementsAre("1=2", "3=6", "4=8", "2=4"));
}

}  // namespace
}  // namespace reelsd::db
