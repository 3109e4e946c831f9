#include "domain/jobs/search_ranking.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

namespace reelsd::jobs {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

asked_term term(posting_list postings, double weight = 1) {
    return {std::make_shared<const posting_list>(std::move(postings)), weight};
}

/// Each of `count` reels from id 1 on has the term.
asked_term frequent_term(std::size_t count) {
    posting_list postings;
    for (std::size_t i = 1; i <= count; ++i) {
        postings.push_back({{static_cast<std::int64_t>(i)}, 1.0F});
    }
    return term(std::move(postings));
}

std::vector<std::int64_t> ids(const ranking_request& request) {
    std::vector<std::int64_t> found;
    for (const auto& ranked : rank_reels(request)) found.push_back(ranked.job.value);
    return found;
}

TEST(SearchRanking, WithoutPostingsNothingIsFound) {
    EXPECT_THAT(ids({}), IsEmpty());
    EXPECT_THAT(ids({.words = {term({})}, .concepts = {term({})}, .reels = 5}), IsEmpty());
}

TEST(SearchRanking, ARareWordCountsMoreThanAFrequentOne) {
    EXPECT_THAT(
        ids({.words = {term({{{1}, 1}, {{2}, 1}, {{3}, 1}}), term({{{4}, 1}})}, .reels = 10}),
        ElementsAre(4, 3, 2, 1));
}

TEST(SearchRanking, OfEqualReelsTheNewestIsFirst) {
    EXPECT_THAT(ids({.words = {term({{{7}, 1}, {{9}, 1}})}, .reels = 2}), ElementsAre(9, 7));
}

TEST(SearchRanking, WordsAndConceptsTogetherAreBetterThanEither) {
    const ranking_request request{
        .words = {term({{{1}, 1.5F}, {{2}, 2}})},
        .concepts = {term({{{1}, 0.9F}, {{3}, 1}})},
        .reels = 100};
    EXPECT_THAT(ids(request), ElementsAre(1, 3, 2));
}

TEST(SearchRanking, AScoreIsTheMeanOfTheRankings) {
    const ranking_request both{
        .words = {term({{{1}, 5}})}, .concepts = {term({{{1}, 1}})}, .reels = 100};
    EXPECT_THAT(rank_reels(both).at(0).score, DoubleNear(1, 1e-9));
    auto three = both;
    three.near = {{2}, {1}};
    const auto ranked = rank_reels(three);
    ASSERT_THAT(ranked, SizeIs(2));
    EXPECT_EQ(ranked[0].job, job_id{1});
    EXPECT_THAT(ranked[0].score, DoubleNear((1 + 1 + 8.0 / 9) / 3, 1e-9));
    EXPECT_THAT(ranked[1].score, DoubleNear(1.0 / 3, 1e-9));
}

TEST(SearchRanking, AReelWithHardlyAnythingInCommonIsNoHit) {
    EXPECT_THAT(ids({.concepts = {term({{{1}, 0.2F}}, 0.1)}, .reels = 1}), IsEmpty());
    EXPECT_THAT(ids({.concepts = {term({{{1}, 0.4F}}, 0.1)}, .reels = 1}), ElementsAre(1));
}

TEST(SearchRanking, AFrequentWordIsUsedOnlyAlone) {
    const auto frequent = frequent_term(postings_max);
    EXPECT_THAT(ids({.words = {frequent, term({{{5000}, 1}})}, .reels = 5000}), ElementsAre(5000));
    EXPECT_THAT(ids({.words = {frequent}, .reels = 5000}), SizeIs(100));
    EXPECT_THAT(ids({.words = {frequent, term({})}, .reels = 5000}), SizeIs(100));
}

TEST(SearchRanking, ARareWordOfOtherReelsDoesNotExcludeAFrequentOne) {
    EXPECT_THAT(
        ids(
            {.words = {frequent_term(postings_max), term({{{5000}, 1}})},
             .only = {{{1}, {2}}},
             .reels = 5000}),
        ElementsAre(2, 1));
}

TEST(SearchRanking, OnlyAllowedReelsAreFound) {
    ranking_request request{
        .words = {term({{{1}, 1}, {{2}, 1}, {{3}, 1}})}, .near = {{3}, {2}, {4}}, .reels = 4};
    request.only = {{1}, {2}};
    EXPECT_THAT(ids(request), ElementsAre(2, 1));
    request.only.emplace();
    EXPECT_THAT(ids(request), IsEmpty());
}

}  // namespace
}  // namespace reelsd::jobs
