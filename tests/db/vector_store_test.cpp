// Goal: each reel gets a vector of the active embedder, from one daemon at a time; vectors of
// another embedder are neither found nor kept; a claim reads few rows for any backlog.
#include "job_store_fixture.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/domain/jobs/vector_store.hpp>

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<std::byte> some_vector(7, std::byte{1});

class VectorStore : public job_store_test {
protected:
    /// A done reel with a search entry.
    job_id done(std::optional<account_id> owner = {}) {
        const auto id = submitted(owner.value_or(ann_));
        const auto held = claimed(1).at(0);
        EXPECT_TRUE(run(queue_.report(lease_of(held), completed{.result = "{}"}, soon())));
        return id;
    }
    embedding_claim claim(
        const std::string& embedder, backlog_position at = {}, seconds_f lease = 60s) {
        return run(vectors_.claim({.embedder = embedder, .at = at, .lease = lease}, soon()));
    }
    /// The ids of the reels that are claimed.
    std::vector<job_id> jobs(const embedding_claim& held) {
        std::vector<job_id> ids;
        for (const auto& reel : held.reels) ids.push_back(reel.job);
        return ids;
    }
    void propose(const std::string& embedder) { run(vectors_.propose(embedder, soon())); }
    bool keep(const embedding_claim& held, const std::string& embedder) {
        return run(vectors_.store(held.account, held.reels.at(0), embedder, some_vector, soon()));
    }
    std::vector<stored_vector> loaded(account_id account, const std::string& embedder) {
        return run(vectors_.load(account, embedder, after_all_reels, 10, soon())).decode();
    }
    void sql(const std::string& statement) {
        const auto done = db::run_script(connection_string(), statement, soon());
        ASSERT_TRUE(done) << done.error().to_string();
    }

    vector_store vectors_{pool()};
};

TEST_F(VectorStore, ClaimsTheNewestReelsFirstAndEachOnce) {
    propose("a");
    const auto older = done();
    const auto newer = done();
    static_cast<void>(submitted(ann_));  // Not done: nothing to embed.
    const auto held = claim("a");
    EXPECT_TRUE(held.is_in_force);
    EXPECT_EQ(held.account, ann_);
    EXPECT_THAT(jobs(held), ElementsAre(newer, older));
    EXPECT_EQ(held.reels[0].result, "{}");
    EXPECT_FALSE(held.next_before) << "no more reels";
    EXPECT_THAT(claim("a").reels, IsEmpty());
}

// A call has reels of one account, which pays for it.
TEST_F(VectorStore, AClaimHasReelsOfOneAccount) {
    propose("a");
    const auto anns = done();
    const auto bobs = done(bob_);
    const auto anns_newer = done();
    const auto first = claim("a");
    EXPECT_THAT(jobs(first), ElementsAre(anns_newer, anns));
    ASSERT_TRUE(first.next_before) << "a reel of another account is left";
    const auto second = claim("a", {.before = *first.next_before});
    EXPECT_EQ(second.account, bob_);
    EXPECT_THAT(jobs(second), ElementsAre(bobs));
    EXPECT_FALSE(second.next_before);
}

TEST_F(VectorStore, ASkippedAccountIsNotClaimed) {
    propose("a");
    static_cast<void>(done());
    const auto bobs = done(bob_);
    const auto held =
        run(vectors_.claim({.embedder = "a", .at = {}, .skipped_accounts = {ann_}}, soon()));
    EXPECT_THAT(jobs(held), ElementsAre(bobs));
}

TEST_F(VectorStore, AClaimExpiresAndAFailureIsDelayed) {
    propose("a");
    static_cast<void>(done());
    ASSERT_THAT(claim("a", {}, 0s).reels, SizeIs(1));
    const auto held = claim("a");
    ASSERT_THAT(held.reels, SizeIs(1)) << "the earlier claim has expired";
    run(vectors_.release(ann_, held.reels, 3000s, soon()));
    EXPECT_THAT(claim("a").reels, IsEmpty());
    sql("UPDATE search_document SET embed_after = now(), embed_claim = embed_claim + 1");
    EXPECT_THAT(claim("a").reels, SizeIs(1));
}

TEST_F(VectorStore, AReelWaitsForADayUnlessTheClockWasSetBack) {
    propose("a");
    static_cast<void>(done());
    run(vectors_.release(ann_, claim("a").reels, embedding_wait_max, soon()));
    EXPECT_THAT(claim("a").reels, IsEmpty());
    sql("UPDATE search_document SET embed_after = embed_after + interval '2 hours',"
        " embed_claim = embed_claim + 1");
    EXPECT_THAT(claim("a").reels, SizeIs(1));
}

// The embedder took longer than the claim, and another daemon has claimed the reel since.
TEST_F(VectorStore, ALateVectorIsNotStored) {
    propose("a");
    static_cast<void>(done());
    const auto late = claim("a", {}, 0s);
    const auto current = claim("a");
    EXPECT_FALSE(keep(late, "a"));
    EXPECT_THAT(loaded(ann_, "a"), IsEmpty());
    run(vectors_.release(ann_, late.reels, 0s, soon()));
    EXPECT_TRUE(keep(current, "a"));
    EXPECT_FALSE(keep(current, "a")) << "a claim ends with its vector";
    EXPECT_THAT(loaded(ann_, "a"), SizeIs(1));
}

// Only another claim invalidates a paid vector.
TEST_F(VectorStore, StoresAVectorAfterItsClaimHasExpired) {
    propose("a");
    static_cast<void>(done());
    EXPECT_TRUE(keep(claim("a", {}, 0s), "a"));
}

TEST_F(VectorStore, LoadsOnlyVectorsOfTheSameEmbedder) {
    propose("b");
    const auto reel = done();
    ASSERT_TRUE(keep(claim("b"), "b"));
    EXPECT_THAT(claim("b").reels, IsEmpty());
    const auto stored = loaded(ann_, "b");
    ASSERT_THAT(stored, SizeIs(1));
    EXPECT_EQ(stored[0].job, reel);
    EXPECT_EQ(stored[0].vector, some_vector);
    EXPECT_THAT(loaded(bob_, "b"), IsEmpty());
    EXPECT_THAT(loaded(ann_, "a"), IsEmpty());
}

TEST_F(VectorStore, AnotherEmbedderReplacesVectors) {
    for (const auto* const other : {"a", "c"}) {  // Its name comes before or after.
        propose("b");
        run(vectors_.make_active("b", soon()));
        static_cast<void>(done());
        ASSERT_TRUE(keep(claim("b"), "b"));
        propose(other);
        EXPECT_THAT(claim(other).reels, IsEmpty()) << "all have a vector";
        EXPECT_EQ(run(vectors_.next_other_embedder(std::nullopt, other, soon())), "b");
        EXPECT_EQ(run(vectors_.next_other_embedder("b", other, soon())), std::nullopt);
        EXPECT_TRUE(keep(claim(other, {.embedder = "b"}), other));
        EXPECT_THAT(loaded(ann_, "b"), IsEmpty());
        sql("DELETE FROM job; DELETE FROM embedder_generation");
    }
}

// Both would replace each other's vectors forever.
TEST_F(VectorStore, OnlyOneEmbedderIsActive) {
    static_cast<void>(done());
    propose("old");
    EXPECT_TRUE(claim("old").is_in_force);
    propose("new");
    EXPECT_FALSE(claim("old").is_in_force);
    sql("UPDATE search_document SET embed_after = '-infinity', embed_claim = embed_claim + 1");
    EXPECT_TRUE(keep(claim("new"), "new"));
    for (int start = 0; start < 3; ++start) {
        propose("old");
        const auto held = claim("old", {.embedder = "new"});
        EXPECT_FALSE(held.is_in_force) << "starting with the old embedder changes nothing";
        EXPECT_THAT(held.reels, IsEmpty());
        propose("new");
    }
    EXPECT_TRUE(claim("new").is_in_force);

    run(vectors_.make_active("old", soon()));
    EXPECT_FALSE(claim("new").is_in_force);
    EXPECT_THAT(claim("old", {.embedder = "new"}).reels, SizeIs(1)) << "requested by the operator";
}

// Claim and store of the previous release.
TEST_F(VectorStore, APreviousReleaseDoesNotReplaceActiveVectors) {
    const auto reel = done();
    propose("new");
    ASSERT_TRUE(keep(claim("new"), "new"));
    const auto id = std::to_string(reel.value);
    sql("UPDATE search_document SET embed_after = now() + interval '3 minutes' WHERE job_id = " +
        id);
    sql("UPDATE search_document SET embedder = 'old', vector = '\\x0101010101',"
        " embed_after = '-infinity' WHERE job_id = " +
        id);
    EXPECT_THAT(loaded(ann_, "new"), SizeIs(1));
    // Reels without a vector may still get one.
    const auto other = std::to_string(done().value);
    sql("UPDATE search_document SET embedder = 'old', vector = '\\x0101010101',"
        " embed_after = '-infinity' WHERE job_id = " +
        other);
    EXPECT_THAT(loaded(ann_, "old"), SizeIs(1));
}

TEST_F(VectorStore, DeletingAReelDeletesItsVector) {
    propose("a");
    const auto reel = done();
    const auto held = claim("a");
    EXPECT_TRUE(run(store_.remove(ann_, reel, soon())));
    EXPECT_FALSE(keep(held, "a"));
    EXPECT_THAT(loaded(ann_, "a"), IsEmpty());
}

TEST_F(VectorStore, APageIsDecodedOnAnyThread) {
    propose("a");
    static_cast<void>(done());
    ASSERT_TRUE(keep(claim("a"), "a"));
    const auto page = run(vectors_.load(ann_, "a", after_all_reels, 10, soon()));
    EXPECT_EQ(page.size(), 1U);
    std::vector<stored_vector> decoded;
    std::thread{[&] { decoded = page.decode(); }}.join();
    ASSERT_THAT(decoded, SizeIs(1));
    EXPECT_EQ(decoded[0].vector, some_vector);
}

/// Synthetic done reels without a vector.
class LargeBacklog : public VectorStore {
protected:
    static constexpr std::int64_t reels = 120'000;

    void SetUp() override {
        VectorStore::SetUp();
        // Every second reel belongs to Ann. Omits columns that only other statements need, for
        // speed.
        sql(R"sql(
            ALTER TABLE job DISABLE TRIGGER ALL;
            ALTER TABLE search_document DISABLE TRIGGER ALL;
            INSERT INTO job (account_id, url, status, started_at, finished_at, result, attempt,
                             claim, code, author, summary, analyzed_at)
            SELECT CASE n % 2 WHEN 0 THEN )sql" +
            std::to_string(ann_.value) + " ELSE " + std::to_string(bob_.value) +
            R"sql( END, 'u', 'done', now(), now(), '{}', 1, 1, '', '', '', now()
              FROM generate_series(1, )sql" +
            std::to_string(reels) + R"sql() AS n;
            INSERT INTO search_document (account_id, job_id, passages)
            SELECT account_id, id, '' FROM job;
            ALTER TABLE job ENABLE TRIGGER ALL;
            ALTER TABLE search_document ENABLE TRIGGER ALL;
            ANALYZE job, search_document)sql");
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        options.statement_timeout = test::patience;
        alone_ = std::make_unique<db::pool>(
            loop().context().get_executor(), options, log::logger::silent());
        alone_->start();
    }
    void TearDown() override { alone_->close(); }

    /// Reads of the tables by the session of `alone_`, since the server's start.
    std::int64_t rows_read() {
        run(alone_->run(
            soon(), db::query{"test.flush", "SELECT pg_stat_force_next_flush()::text AS flushed"}));
        run(alone_->run(
            soon(), db::query{"test.clear", "SELECT pg_stat_clear_snapshot()::text AS cleared"}));
        const auto found = run(alone_->run(soon(), db::query{"test.rows_read", R"sql(
            SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint AS rows
              FROM pg_stat_user_tables
             WHERE relname IN ('search_document', 'job'))sql"}));
        return found.one().as<std::int64_t>("rows");
    }

    std::unique_ptr<db::pool> alone_;
};

TEST_F(LargeBacklog, EachClaimReadsAtMostAHundredRows) {
    vector_store vectors{*alone_};
    run(vectors.propose("a", soon()));
    const auto last = done();  // The newest, of Ann.
    const backlog_position positions[] = {
        {},
        {.before = job_id{last.value - reels / 2}},
        {.before = job_id{last.value - reels + 30}},
        {.before = job_id{last.value - reels + 2}},
        {.embedder = "b"}};
    // More often than a prepared statement gets custom plans.
    for (int round = 0; round < 4; ++round) {
        for (const auto& at : positions) {
            SCOPED_TRACE(at.before.value);
            const auto before = rows_read();
            const auto held = run(vectors.claim({.embedder = "a", .at = at}, soon()));
            const auto read = rows_read() - before;
            EXPECT_LE(read, 100);
            EXPECT_GE(read, static_cast<std::int64_t>(held.reels.size()));
            EXPECT_EQ(held.reels.empty(), at.embedder.has_value() || round > 1);
            if (!held.reels.empty()) run(vectors.release(held.account, held.reels, 600s, soon()));
        }
    }
    const auto before = rows_read();
    EXPECT_EQ(run(vectors.next_other_embedder(std::nullopt, "a", soon())), std::nullopt);
    EXPECT_LE(rows_read() - before, 2);
}

TEST_F(LargeBacklog, APageOfVectorsReadsNoOtherAccountsReels) {
    sql("UPDATE search_document SET embedder = 'a', vector = '\\x0101010101',"
        " embed_claim = embed_claim + 1 WHERE job_id % 4 < 2;"
        " ANALYZE search_document");
    vector_store vectors{*alone_};
    auto before = after_all_reels;
    for (int page = 0; page < 8; ++page) {
        const auto already = rows_read();
        const auto found = run(vectors.load(ann_, "a", before, 500, soon())).decode();
        ASSERT_THAT(found, SizeIs(500));
        EXPECT_LE(rows_read() - already, 1100) << "half of the reels have no vector";
        before = found.back().job;
    }
}

}  // namespace
}  // namespace reelsd::jobs
