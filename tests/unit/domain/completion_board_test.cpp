#include <reelsd/domain/jobs/completion_board.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;

boost::asio::awaitable<void> wait_into(
    completion_board& board, job_id job, deadline by, std::vector<std::string>& log) {
    completion_board::ticket place{board, job};
    const bool announced = co_await place.wait(by);
    log.push_back(std::to_string(job.value) + (announced ? " announced" : " timed out"));
}

void rethrow(std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
}

TEST(CompletionBoard, WakesTheWaitersOfOneJobOnly) {
    boost::asio::io_context loop;
    completion_board board{loop.get_executor()};
    std::vector<std::string> log;
    for (const std::int64_t job : {1, 1, 2}) {
        boost::asio::co_spawn(
            loop, wait_into(board, job_id{job}, deadline::after(1h), log), rethrow);
    }
    boost::asio::post(loop, [&board] {
        EXPECT_THAT(board.awaited(), testing::UnorderedElementsAre(job_id{1}, job_id{2}));
        board.announce(job_id{1});
    });
    while (loop.poll() > 0) {
    }
    EXPECT_THAT(log, testing::ElementsAre("1 announced", "1 announced"));
    EXPECT_EQ(board.waiter_count(), 1U);

    board.announce_all();
    loop.restart();
    loop.run();
    EXPECT_EQ(log.back(), "2 announced");
    EXPECT_EQ(board.waiter_count(), 0U);
}

TEST(CompletionBoard, AsksForNobodyWhoFindsOutByHimself) {
    boost::asio::io_context loop;
    completion_board board{loop.get_executor()};
    using others_ends = completion_board::ticket::others_ends;
    const completion_board::ticket by_himself{board, job_id{1}, others_ends::found_by_holder};
    const completion_board::ticket with_others{board, job_id{2}, others_ends::found_by_holder};
    EXPECT_THAT(board.awaited(), testing::IsEmpty());
    const completion_board::ticket asking{board, job_id{2}};
    EXPECT_THAT(board.awaited(), testing::ElementsAre(job_id{2}));
    EXPECT_EQ(board.waiter_count(), 3U);
}

TEST(CompletionBoard, AnEndBetweenReadAndWaitIsNotMissed) {
    boost::asio::io_context loop;
    completion_board board{loop.get_executor()};
    completion_board::ticket place{board, job_id{5}};
    board.announce(job_id{5});
    std::optional<bool> announced;
    boost::asio::co_spawn(
        loop, place.wait(deadline::after(1h)), [&announced](std::exception_ptr failure, bool told) {
            rethrow(failure);
            announced = told;
        });
    loop.run();
    EXPECT_EQ(announced, true);
}

TEST(CompletionBoard, EndsAtTheDeadline) {
    boost::asio::io_context loop;
    completion_board board{loop.get_executor()};
    std::vector<std::string> log;
    boost::asio::co_spawn(loop, wait_into(board, job_id{3}, deadline::after(0s), log), rethrow);
    loop.run();
    EXPECT_THAT(log, testing::ElementsAre("3 timed out"));
}

}  // namespace
}  // namespace reelsd::jobs
