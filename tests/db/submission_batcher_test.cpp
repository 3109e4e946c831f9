#include "job_store_fixture.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>

#include <future>
#include <optional>
#include <string>
#include <vector>

// Goal: submissions that share a statement are decided as if each were alone. Method: real
// statements, all of one turn of the loop; a second session locks an account's row.
namespace reelsd::jobs {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using outcome = submission_result::outcome;

constexpr db::query lock_query{"test.lock", "SELECT pg_advisory_lock(7)"};
constexpr db::query unlock_query{"test.unlock", "SELECT pg_advisory_unlock(7)"};
/// Holds the account's row until the advisory lock is free.
constexpr db::query lock_row_query{"test.lock_row", R"sql(
    SELECT pg_advisory_xact_lock_shared(7)
      FROM (SELECT id FROM account WHERE id = $1 FOR UPDATE) AS held)sql"};
constexpr db::query waiting_query{"test.waiting", R"sql(
    SELECT count(*) AS many FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)sql"};

class SubmissionBatcher : public job_store_test {
protected:
    [[nodiscard]] std::future<submission_result> asked(
        account_id by, std::optional<std::string> key = {}, std::string url = link) {
        submission request{.url = std::move(url), .idempotency_key = std::move(key)};
        return asio::co_spawn(
            loop().context(), batcher_.submit(by, std::move(request), soon()), asio::use_future);
    }

    [[nodiscard]] submission_result got(std::future<submission_result>& answer) {
        loop().wait_for(answer);
        return answer.get();
    }

    using decisions = std::vector<submission_result>;
    [[nodiscard]] std::future<decisions> asked_list(
        account_id by, std::size_t links, deadline until = soon()) {
        return asio::co_spawn(
            loop().context(),
            batcher_.submit_all(by, std::vector<submission>(links, submission{.url = link}), until),
            asio::use_future);
    }
    [[nodiscard]] decisions got_list(std::future<decisions>& answer) {
        loop().wait_for(answer);
        return answer.get();
    }

    /// Another session holds the account's row until release_row().
    void hold_row(account_id account) {
        second_.start();
        third_.start();
        // With one connection, the statements of the batcher would wait for each other.
        loop().run_until([this] { return pool().state().connections > 2; });
        run(second_.run(soon(), lock_query));
        row_lock_ = asio::co_spawn(
            loop().context(), third_.run(soon(), lock_row_query, account), asio::use_future);
        const auto is_locked = [this] {
            const auto found = run(second_.run(soon(), waiting_query));
            return found.one().as<std::int64_t>("many") > 0;
        };
        while (!is_locked()) {
        }
    }
    void release_row() {
        run(second_.run(soon(), unlock_query));
        loop().wait_for(row_lock_);
    }

    [[nodiscard]] std::uint64_t statements() { return pool().metrics().at("jobs.submit").count; }

    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
    submission_batcher batcher_{
        loop().context().get_executor(),
        tasks_,
        store_,
        {.submissions_per_minute = 10, .concurrent_jobs = 3}};

private:
    [[nodiscard]] db::pool_options one_connection() const {
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        return options;
    }

    db::pool second_{loop().context().get_executor(), one_connection(), log::logger::silent()};
    db::pool third_{loop().context().get_executor(), one_connection(), log::logger::silent()};
    std::future<db::rows> row_lock_;
};

TEST_F(SubmissionBatcher, EnforcesEachAccountsLimitExactly) {
    std::vector<std::future<submission_result>> anns;
    std::vector<std::future<submission_result>> bobs;
    for (int i = 0; i < 20; ++i) {
        anns.push_back(asked(ann_));
        bobs.push_back(asked(bob_));
    }
    for (auto* const answers : {&anns, &bobs}) {
        job_id last{};
        for (std::size_t at = 0; at < answers->size(); ++at) {
            const auto decision = got((*answers)[at]);
            EXPECT_EQ(decision.decided, at < 3 ? outcome::accepted : outcome::too_many_jobs);
            EXPECT_EQ(decision.rate_remaining, at < 3 ? 9 - static_cast<int>(at) : 7);
            EXPECT_EQ(decision.retry_after > 0, at >= 3);
            EXPECT_EQ(decision.job.value > last.value, at < 3) << "in order";
            if (at < 3) last = decision.job;
        }
    }
    EXPECT_EQ(statements(), 1U);
}

TEST_F(SubmissionBatcher, RefusesTheRestWhenABucketIsEmpty) {
    run(pool().run(
        soon(),
        db::query{
            "test.limit", "UPDATE account SET submissions_per_minute = 5, concurrent_jobs = 100"}));
    std::vector<std::future<submission_result>> answers;
    for (int i = 0; i < 8; ++i) answers.push_back(asked(ann_));
    for (std::size_t at = 0; at < answers.size(); ++at) {
        const auto decision = got(answers[at]);
        EXPECT_EQ(decision.decided, at < 5 ? outcome::accepted : outcome::rate_limited);
        EXPECT_EQ(decision.rate_remaining, at < 5 ? 4 - static_cast<int>(at) : 0);
    }
}

TEST_F(SubmissionBatcher, TheSameKeyTwiceInOneStatementIsOneJob) {
    auto first = asked(ann_, "key");
    auto again = asked(ann_, "key");
    auto other = asked(ann_, "key", "https://www.instagram.com/reel/AAAAAAAAAAA/");
    auto of_bob = asked(bob_, "key");
    const auto decided = got(first);
    EXPECT_EQ(decided.decided, outcome::accepted);
    const auto repeated = got(again);
    EXPECT_EQ(repeated.decided, outcome::repeated);
    EXPECT_EQ(repeated.job, decided.job);
    EXPECT_EQ(repeated.rate_remaining, decided.rate_remaining) << "a repetition costs nothing";
    EXPECT_EQ(got(other).decided, outcome::key_of_another_link);
    EXPECT_EQ(got(of_bob).decided, outcome::accepted);
    EXPECT_EQ(statements(), 1U);
}

// A list is a separate statement, even with concurrent submissions.
TEST_F(SubmissionBatcher, DecidesAListInOrder) {
    std::vector<submission> list(5, submission{.url = link});
    auto single = asked(bob_);
    auto together =
        asio::co_spawn(loop().context(), batcher_.submit_all(ann_, list, soon()), asio::use_future);
    loop().wait_for(together);
    const auto decided = together.get();
    ASSERT_EQ(decided.size(), 5U);
    for (std::size_t at = 0; at < decided.size(); ++at) {
        EXPECT_EQ(decided[at].decided, at < 3 ? outcome::accepted : outcome::too_many_jobs);
        EXPECT_EQ(decided[at].rate_remaining, at < 3 ? 9 - static_cast<int>(at) : 7);
    }
    EXPECT_LT(decided[0].job, decided[1].job);
    EXPECT_LT(decided[1].job, decided[2].job);
    EXPECT_EQ(got(single).decided, outcome::accepted);
    EXPECT_EQ(statements(), 2U);
}

TEST_F(SubmissionBatcher, AnInvalidSubmissionDoesNotAffectOthers) {
    auto well = asked(ann_);
    auto of_unknown = asked(account_id{999'999});
    auto damaged = asked(bob_, {}, std::string{"a\0b", 3});
    EXPECT_EQ(got(well).decided, outcome::accepted);
    EXPECT_THROW(static_cast<void>(got(of_unknown)), db::refused);
    EXPECT_THROW(static_cast<void>(got(damaged)), db::refused);
}

TEST_F(SubmissionBatcher, ALockedAccountDoesNotDelayOthers) {
    hold_row(ann_);

    auto anns = asked(ann_);
    auto bobs = asked(bob_);
    auto anns_second = asked(ann_);
    EXPECT_EQ(got(bobs).decided, outcome::accepted);
    EXPECT_EQ(anns.wait_for(0s), std::future_status::timeout) << "its row is not free";
    release_row();
    EXPECT_EQ(got(anns).decided, outcome::accepted);
    EXPECT_EQ(got(anns_second).decided, outcome::accepted);
    EXPECT_EQ(statements(), 2U) << "submissions that wait for one row share a statement";
}

TEST_F(SubmissionBatcher, AListWaitsOnlyForListsOfItsOwnAccount) {
    hold_row(ann_);
    auto anns_first = asked_list(ann_, 1);
    auto anns_second = asked_list(ann_, 1);
    auto bobs = asked_list(bob_, 2);
    EXPECT_EQ(got_list(bobs).size(), 2U);
    EXPECT_EQ(anns_first.wait_for(0s), std::future_status::timeout) << "its row is not free";
    release_row();
    const auto first = got_list(anns_first);
    const auto second = got_list(anns_second);
    EXPECT_LT(first.at(0).job, second.at(0).job) << "in the order of arrival";
}

// Both wait for the account's row, so neither can see the other's key before it is locked.
TEST_F(SubmissionBatcher, AcceptsALinkOrAListUnderOneKeyButNotBoth) {
    hold_row(ann_);
    const submission single{.url = link, .idempotency_key = "k"};
    const submission of_list{
        .url = link, .idempotency_key = "k", .list = list_element{.request_hash = "aa"}};
    auto first =
        asio::co_spawn(loop().context(), batcher_.submit(ann_, single, soon()), asio::use_future);
    auto second = asio::co_spawn(
        loop().context(), batcher_.submit_all(ann_, {of_list, of_list}, soon()), asio::use_future);
    loop().run_until([this] { return pool().state().in_flight == 2; });
    release_row();
    std::vector<outcome> decided{got(first).decided};
    for (const auto& one : got_list(second)) decided.push_back(one.decided);
    const bool is_link_first = decided.front() == outcome::accepted;
    const std::vector<outcome> link_only{
        outcome::accepted, outcome::key_of_another_link, outcome::key_of_another_link};
    const std::vector<outcome> list_only{
        outcome::key_of_another_link, outcome::accepted, outcome::repeated};
    EXPECT_EQ(decided, is_link_first ? link_only : list_only);
}

TEST_F(SubmissionBatcher, AListThatGivesUpLetsTheNextOneProceed) {
    hold_row(ann_);
    auto first = asked_list(ann_, 1);
    auto hurried = asked_list(ann_, 1, deadline::after(1ms));
    auto last = asked_list(ann_, 1);
    EXPECT_THROW(static_cast<void>(got_list(hurried)), db::unavailable);
    release_row();
    EXPECT_EQ(got_list(first).at(0).decided, outcome::accepted);
    EXPECT_EQ(got_list(last).at(0).decided, outcome::accepted);
}

}  // namespace
}  // namespace reelsd::jobs
