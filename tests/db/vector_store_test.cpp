// Goal: each reel gets a vector of the embedder that is set, from one daemon at a time, and vectors
// of another embedder are neither found nor kept.
#include "job_store_fixture.hpp"
#include <reelsd/domain/jobs/vector_store.hpp>

#include <gmock/gmock.h>

namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::byte> some_vector(7, std::byte{1});

class VectorStore : public job_store_test {
protected:
    /// A done reel that can be searched for.
    job_id done() {
        const auto id = submitted(ann_);
        const auto held = claimed(1).at(0);
        EXPECT_TRUE(run(store_.report(holding_of(held), completed{.result = "{}"}, soon())));
        return id;
    }
    std::vector<unembedded_reel> claim(const std::string& embedder, seconds_f lease = 60s) {
        return run(vectors_.claim(embedder, 10, lease, soon()));
    }

    vector_store vectors_{pool()};
};

TEST_F(VectorStore, TheNewestReelsFirstAndEachOnce) {
    const auto older = done();
    const auto newer = done();
    static_cast<void>(submitted(ann_));  // Not done: nothing to embed.
    const auto first = run(vectors_.claim("a", 1, 60s, soon()));
    ASSERT_THAT(first, SizeIs(1));
    EXPECT_EQ(first[0].job, newer);
    EXPECT_EQ(first[0].account, ann_);
    EXPECT_EQ(first[0].result, "{}");
    const auto second = claim("a");
    ASSERT_THAT(second, SizeIs(1));
    EXPECT_EQ(second[0].job, older);
    EXPECT_THAT(claim("a"), IsEmpty());
}

TEST_F(VectorStore, AClaimRunsOutAndAFailureWaits) {
    const auto reel = done();
    ASSERT_THAT(claim("a", 0s), SizeIs(1));
    ASSERT_THAT(claim("a"), SizeIs(1)) << "whoever had it is gone";
    run(vectors_.put_off({reel}, 3600s, soon()));
    EXPECT_THAT(claim("a"), IsEmpty());
    run(vectors_.put_off({reel}, 0s, soon()));
    EXPECT_THAT(claim("a"), SizeIs(1));
}

TEST_F(VectorStore, WhatIsStoredIsLoadedByItsOwnEmbedderAlone) {
    const auto reel = done();
    ASSERT_THAT(claim("b"), SizeIs(1));
    run(vectors_.store(ann_, reel, "b", some_vector, soon()));
    EXPECT_THAT(claim("b"), IsEmpty());
    const auto stored = run(vectors_.load(ann_, "b", 10, soon()));
    ASSERT_THAT(stored, SizeIs(1));
    EXPECT_EQ(stored[0].job, reel);
    EXPECT_EQ(stored[0].vector, some_vector);
    EXPECT_THAT(run(vectors_.load(bob_, "b", 10, soon())), IsEmpty());
    EXPECT_THAT(run(vectors_.load(ann_, "a", 10, soon())), IsEmpty());
    // Another embedder, whether its name comes before or after.
    EXPECT_THAT(claim("a", 0s), SizeIs(1));
    EXPECT_THAT(claim("c"), SizeIs(1));
    run(vectors_.store(ann_, reel, "c", some_vector, soon()));
    EXPECT_THAT(run(vectors_.load(ann_, "b", 10, soon())), IsEmpty());
}

TEST_F(VectorStore, ADeletedReelTakesItsVectorAlong) {
    const auto reel = done();
    ASSERT_THAT(claim("a"), SizeIs(1));
    EXPECT_TRUE(run(store_.remove(ann_, reel, soon())));
    run(vectors_.store(ann_, reel, "a", some_vector, soon()));
    EXPECT_THAT(run(vectors_.load(ann_, "a", 10, soon())), IsEmpty());
}

}  // namespace
}  // namespace reelsd::jobs
