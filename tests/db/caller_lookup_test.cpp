#include "job_store_fixture.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>

#include <array>
#include <cstdint>
#include <future>
#include <string>
#include <utility>
#include <vector>

// Goal: concurrent look-ups are answered as if each were alone. Method: real statements, all of one
// turn of the loop.
namespace reelsd::jobs {
namespace {

using accounts::hash_of_token;
using jobs::link;
namespace asio = boost::asio;

class CallerLookup : public jobs::job_store_test {
protected:
    [[nodiscard]] accounts::token_hash token_of(account_id who, const std::string& name) {
        return hash_of_token(run(accounts_.create_token(who, name, soon())).value().token).value();
    }

    [[nodiscard]] std::future<caller_and_reel> asked(accounts::token_hash token, job_id reel) {
        return asio::co_spawn(
            loop().context(), callers_.find_with_reel(token, reel, soon()), asio::use_future);
    }

    [[nodiscard]] caller_and_reel got(std::future<caller_and_reel>& answer) {
        loop().wait_for(answer);
        return answer.get();
    }

    accounts::account_store accounts_{pool()};
    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
    /// Whether a view shows this reel.
    [[nodiscard]] static bool is_of(const std::shared_ptr<const std::string>& view, job_id reel) {
        return view && view->starts_with(R"({"id":)" + std::to_string(reel.value) + ",");
    }

    [[nodiscard]] std::uint64_t statements(const char* name) {
        const auto counted = pool().metrics();
        const auto found = counted.find(name);
        return found == counted.end() ? 0 : found->second.count;
    }

    /// An ended reel.
    [[nodiscard]] job_id ended(account_id who) {
        const auto id = submitted(who);
        static constexpr db::query end_query{
            "test.end",
            "UPDATE job SET status = 'error', error_code = 'internal', error = 'x',"
            " started_at = now(), finished_at = now() WHERE id = $1"};
        run(pool().run(soon(), end_query, id));
        return id;
    }

    caller_lookup callers_{loop().context().get_executor(), tasks_, pool(), 1'000'000};
};

TEST_F(CallerLookup, AnswersEachRequestIndependently) {
    const auto ann = token_of(ann_, "a");
    const auto bob = token_of(bob_, "b");
    const auto revoked = token_of(ann_, "old");
    run(accounts_.revoke_token(ann_, "old", soon())).value();
    std::vector<job_id> anns;
    for (int i = 0; i < 20; ++i) anns.push_back(submitted(ann_));
    const auto bobs = submitted(bob_);

    std::vector<std::future<caller_and_reel>> answers;
    for (const auto id : anns) answers.push_back(asked(ann, id));
    auto of_bob = asked(bob, bobs);
    auto of_another = asked(bob, anns[0]);
    auto by_revoked = asked(revoked, anns[0]);
    auto by_unknown = asked(accounts::token_hash{}, anns[0]);
    auto of_none = asked(ann, job_id{1'000'000});
    const auto before = pool().metrics().at("jobs.submit").count;
    for (std::size_t at = 0; at < anns.size(); ++at) {
        const auto answer = got(answers[at]);
        ASSERT_TRUE(answer.caller && answer.reel);
        EXPECT_EQ(answer.caller->account, ann_);
        EXPECT_TRUE(is_of(answer.reel, anns[at]));
        EXPECT_NE(answer.reel->find(link), std::string::npos);
    }
    EXPECT_TRUE(is_of(got(of_bob).reel, bobs));
    const auto anothers = got(of_another);
    EXPECT_TRUE(anothers.caller);
    EXPECT_FALSE(anothers.reel) << "a reel of another account";
    EXPECT_FALSE(got(by_revoked).caller);
    const auto unknown = got(by_unknown);
    EXPECT_FALSE(unknown.caller || unknown.reel);
    EXPECT_FALSE(got(of_none).reel);
    EXPECT_EQ(pool().metrics().at("jobs.submit").count, before);
    EXPECT_EQ(pool().metrics().at("reels.find_with_callers").count, 1U)
        << "one statement for 25 requests";
}

TEST_F(CallerLookup, DoesNotFindDeletedReelsAndDisabledAccounts) {
    const auto token = token_of(ann_, "a");
    const auto id = submitted(ann_);
    EXPECT_TRUE(run(callers_.find_with_reel(token, id, soon())).reel);
    EXPECT_TRUE(run(store_.remove(ann_, id, soon())));
    const auto found = run(callers_.find_with_reel(token, id, soon()));
    EXPECT_TRUE(found.caller);
    EXPECT_FALSE(found.reel);
    ASSERT_TRUE(run(accounts_.change(ann_, {.disabled = true}, soon())));
    EXPECT_FALSE(run(callers_.find(token, soon())));
}

// Goal: a cached view is sent only while the database has the same data. Method: reels that are
// read repeatedly while another connection changes, deletes and reassigns them.
TEST_F(CallerLookup, RevalidatesACachedReelAtEachRead) {
    const auto ann = token_of(ann_, "a");
    const auto bob = token_of(bob_, "b");
    const auto waits = submitted(ann_);
    const auto id = ended(ann_);
    const auto first = run(callers_.find_with_reel(ann, id, soon()));
    ASSERT_TRUE(is_of(first.reel, id));
    EXPECT_EQ(statements("reels.find_callers"), 0U);
    const auto again = run(callers_.find_with_reel(ann, id, soon()));
    EXPECT_EQ(again.reel, first.reel) << "the same text, not a copy";
    EXPECT_EQ(again.caller->account, ann_);
    EXPECT_EQ(statements("reels.find_with_callers"), 1U);
    EXPECT_EQ(statements("reels.find_callers"), 1U);

    EXPECT_FALSE(run(callers_.find_with_reel(bob, id, soon())).reel) << "another's";
    EXPECT_FALSE(run(callers_.find_with_reel(accounts::token_hash{}, id, soon())).caller);
    EXPECT_EQ(run(callers_.find_with_reel(ann, id, soon())).reel, first.reel) << "still cached";
    for (int reads = 0; reads < 3; ++reads) {
        EXPECT_TRUE(is_of(run(callers_.find_with_reel(ann, waits, soon())).reel, waits));
    }
    EXPECT_EQ(statements("reels.find_callers"), 4U) << "active jobs are not cached";

    static constexpr db::query change_query{
        "test.change", "UPDATE job SET error = 'y' WHERE id = $1"};
    run(pool().run(soon(), change_query, id));
    const auto changed = run(callers_.find_with_reel(ann, id, soon())).reel;
    ASSERT_TRUE(changed);
    EXPECT_NE(changed->find(R"("error":"y")"), std::string::npos);

    EXPECT_EQ(run(callers_.find_with_reel(ann, id, soon())).reel, changed);
    EXPECT_TRUE(run(store_.remove(ann_, id, soon())));
    const auto gone = run(callers_.find_with_reel(ann, id, soon()));
    EXPECT_TRUE(gone.caller);
    EXPECT_FALSE(gone.reel);
}

// Goal: while nothing of an account has changed, a cached reel costs only the look-up of its token,
// and every change is noticed. Method: all kinds of changes and deletions of rows.
TEST_F(CallerLookup, NoticesEveryChangeOfAnEndedReel) {
    const auto ann = token_of(ann_, "a");
    const auto bob = token_of(bob_, "b");
    const auto bobs = ended(bob_);
    ASSERT_TRUE(run(callers_.find_with_reel(bob, bobs, soon())).reel);
    const auto version = [this](account_id of) {
        static constexpr db::query version_query{
            "test.version",
            "SELECT xmin::text AS version FROM ended_reels_version WHERE account_id = $1"};
        const auto found = run(pool().run(soon(), version_query, of));
        return found.one().as<std::string>("version");
    };
    const auto bobs_version = version(bob_);
    const auto reads = [this](accounts::token_hash token, job_id reel) {
        const auto before = statements("reels.find_with_callers");
        const auto view = run(callers_.find_with_reel(token, reel, soon())).reel;
        return std::pair{view, statements("reels.find_with_callers") - before};
    };
    static constexpr auto changes = std::to_array<db::query>({
        {"test.0", "UPDATE job SET error = 'y' WHERE id = $1"},
        {"test.1", "UPDATE job SET url = url || '?' WHERE id = $1"},
        {"test.2",
         "UPDATE job SET status = 'pending', started_at = NULL, finished_at = NULL, error = NULL,"
         " error_code = NULL WHERE id = $1"},
        {"test.3", "DELETE FROM upload WHERE job_id = $1"},
        {"test.4", "SELECT expire_videos(3600, 0, 10) WHERE $1::bigint IS NOT NULL"},
        {"test.5", "DELETE FROM job WHERE id = $1"},
        {"test.6", "WITH gone AS (DELETE FROM job WHERE id >= $1 RETURNING 1) SELECT 1 FROM gone"},
    });
    static constexpr db::query keep_video_query{
        "test.keep_video",
        "INSERT INTO upload (account_id, job_id, size_bytes, sha256, kept_at)"
        " SELECT account_id, id, 1, repeat('0', 64), now() FROM job WHERE id = $1"};
    for (const auto& change : changes) {
        const auto reel = ended(ann_);
        run(pool().run(soon(), keep_video_query, reel));
        const auto other = ended(ann_);
        const auto before = version(ann_);
        ASSERT_TRUE(reads(ann, other).first);
        const auto [first, statements_first] = reads(ann, reel);
        EXPECT_EQ(statements_first, 1U);
        EXPECT_EQ(reads(ann, reel), (std::pair{first, std::uint64_t{0}})) << change.name();

        run(pool().run(soon(), change, reel));
        EXPECT_NE(version(ann_), before) << change.name();
        EXPECT_NE(reads(ann, reel).first, first) << change.name();
        const bool all_gone = &change == &changes.back();
        EXPECT_EQ(reads(ann, other).first == nullptr, all_gone) << change.name();
        if (!all_gone) {
            EXPECT_EQ(reads(ann, other).second, 0U) << "revalidated once, and current since";
        }
    }
    EXPECT_EQ(version(bob_), bobs_version) << "reels of another account are not affected";
    EXPECT_EQ(reads(bob, bobs).second, 0U);

    static constexpr db::query truncate_query{"test.truncate", "TRUNCATE job CASCADE"};
    run(pool().run(soon(), truncate_query));
    EXPECT_FALSE(reads(bob, bobs).first);
}

// Changes of jobs before their end do not invalidate cached reels.
TEST_F(CallerLookup, ActiveJobsDoNotChangeTheVersion) {
    const auto ann = token_of(ann_, "a");
    const auto reel = ended(ann_);
    ASSERT_TRUE(run(callers_.find_with_reel(ann, reel, soon())).reel);
    const auto another = ended(ann_);
    EXPECT_TRUE(run(store_.remove(ann_, submitted(ann_), soon())));
    const auto before = statements("reels.find_with_callers");
    EXPECT_TRUE(run(callers_.find_with_reel(ann, reel, soon())).reel);
    EXPECT_EQ(statements("reels.find_with_callers"), before);
    ASSERT_TRUE(run(callers_.find_with_reel(ann, another, soon())).reel);
}

// After a restore, on a server with a lower transaction counter.
TEST_F(CallerLookup, ATransactionNumberFromABackupIsNotCurrent) {
    const auto ann = token_of(ann_, "a");
    const auto reel = ended(ann_);
    ASSERT_TRUE(run(callers_.find_with_reel(ann, reel, soon())).reel);
    static constexpr db::query ahead_query{
        "test.ahead",
        "UPDATE ended_reels_version SET changed_by ="
        " (pg_current_xact_id()::text::bigint + 1)::text::xid8"};
    run(pool().run(soon(), ahead_query));
    ASSERT_TRUE(run(callers_.find_with_reel(ann, reel, soon())).reel);
    EXPECT_TRUE(run(store_.remove(ann_, reel, soon())));
    EXPECT_FALSE(run(callers_.find_with_reel(ann, reel, soon())).reel);
}

// After a manual deletion of the row.
TEST_F(CallerLookup, CachesNothingWithoutAVersion) {
    const auto ann = token_of(ann_, "a");
    const auto reel = ended(ann_);
    static constexpr db::query forget_query{
        "test.forget", "DELETE FROM ended_reels_version WHERE account_id = $1"};
    run(pool().run(soon(), forget_query, ann_));
    for (std::uint64_t reads = 1; reads <= 3; ++reads) {
        EXPECT_TRUE(is_of(run(callers_.find_with_reel(ann, reel, soon())).reel, reel));
        EXPECT_EQ(statements("reels.find_with_callers"), reads);
    }
    EXPECT_EQ(statements("reels.find_callers"), 0U);
}

TEST_F(CallerLookup, ConcurrentRevalidationsShareAStatement) {
    const auto ann = token_of(ann_, "a");
    const auto bob = token_of(bob_, "b");
    std::vector<job_id> anns;
    for (int i = 0; i < 20; ++i) anns.push_back(ended(ann_));
    const auto bobs = ended(bob_);
    for (const auto id : anns) {
        ASSERT_TRUE(run(callers_.find_with_reel(ann, id, soon())).reel);
    }
    ASSERT_TRUE(run(callers_.find_with_reel(bob, bobs, soon())).reel);
    const auto before = statements("reels.find_with_callers");
    const auto all_read = [&](const std::size_t but) {
        std::vector<std::future<caller_and_reel>> answers;
        for (const auto id : anns) answers.push_back(asked(ann, id));
        auto of_bob = asked(bob, bobs);
        auto of_another = asked(bob, anns[0]);
        for (std::size_t at = 0; at < anns.size(); ++at) {
            EXPECT_EQ(is_of(got(answers[at]).reel, anns[at]), at != but) << at;
        }
        EXPECT_TRUE(is_of(got(of_bob).reel, bobs));
        EXPECT_FALSE(got(of_another).reel);
    };
    all_read(anns.size());
    EXPECT_EQ(statements("reels.find_callers"), 1U);
    EXPECT_EQ(statements("reels.find_with_callers") - before, 1U) << "only for the other account";

    EXPECT_TRUE(run(store_.remove(ann_, anns[7], soon())));
    all_read(7);
    EXPECT_EQ(statements("reels.find_callers"), 2U);
    EXPECT_EQ(statements("reels.find_with_callers") - before, 2U) << "all of Ann's in one";
}

TEST_F(CallerLookup, DoesNotReadACachedReelTogetherWithOthers) {
    const auto ann = token_of(ann_, "a");
    const auto kept = ended(ann_);
    const auto fresh = ended(ann_);
    const auto first = run(callers_.find_with_reel(ann, kept, soon())).reel;
    ASSERT_TRUE(first);
    const auto before = statements("reels.find_with_callers");
    auto of_kept = asked(ann, kept);
    auto of_fresh = asked(ann, fresh);
    EXPECT_EQ(got(of_kept).reel, first) << "the same text, not a copy";
    EXPECT_TRUE(is_of(got(of_fresh).reel, fresh));
    EXPECT_EQ(statements("reels.find_with_callers") - before, 1U);
    EXPECT_EQ(statements("reels.find_callers"), 1U);
}

// A row of a newer program, during a rolling upgrade.
TEST_F(CallerLookup, AnUnreadableReelFailsOnlyItsOwnRequest) {
    const auto ann = token_of(ann_, "a");
    const auto bob = token_of(bob_, "b");
    const auto strange = submitted(ann_);
    const auto plain = submitted(bob_);
    static constexpr db::query change_query{
        "test.change", "UPDATE job SET created_at = 'infinity' WHERE id = $1"};
    run(pool().run(soon(), change_query, strange));
    auto of_ann = asked(ann, strange);
    auto of_bob = asked(bob, plain);
    EXPECT_TRUE(is_of(got(of_bob).reel, plain));
    EXPECT_ANY_THROW(static_cast<void>(got(of_ann)));
}

}  // namespace
}  // namespace reelsd::jobs
