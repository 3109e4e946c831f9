// Goal: an author's reels are found whatever else there is, page by page, and quickly.
#include "job_store_fixture.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace reelsd::jobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JobList : public job_store_test {
protected:
    job_id done_by(const std::string& author, account_id owner) {
        const auto id = submitted(owner);
        const completed ended{
            .result = "{}", .brief = {.code = "DYa0IXPgnP5", .author = author, .summary = ""}};
        EXPECT_TRUE(run(store_.report(holding_of(claimed(1).at(0)), ended, soon())));
        return id;
    }
    job_page list(job_filter wanted) { return run(store_.list(ann_, std::move(wanted), soon())); }
    std::vector<job_id> ids(job_filter wanted) {
        std::vector<job_id> all;
        for (const auto& job : list(std::move(wanted)).jobs) all.push_back(job.id);
        return all;
    }
};

TEST_F(JobList, HasOneAuthorWhateverTheLetterCase) {
    const auto first = done_by("slowbrew", ann_);
    done_by("slowbrew2", ann_);
    done_by("slow_brew", ann_);
    done_by("", ann_);
    done_by("slowbrew", bob_);
    const auto last = done_by("SlowBrew", ann_);
    EXPECT_GT(submitted(ann_).value, 0);
    EXPECT_THAT(ids({.author = "slowbrew"}), ElementsAre(last, first));
    EXPECT_THAT(ids({.author = "SLOWBREW"}), ElementsAre(last, first));
    EXPECT_EQ(list({.author = "slowbrew"}).jobs[0].brief->author, "SlowBrew");
    for (const char* nobody : {"slowbre", "slow%", "slow_brew_", " slowbrew", "'"}) {
        EXPECT_THAT(ids({.author = nobody}), IsEmpty()) << nobody;
    }
}

TEST_F(JobList, TakesAuthorAndStatusTogether) {
    const auto done = done_by("slowbrew", ann_);
    EXPECT_GT(submitted(ann_).value, 0);
    EXPECT_THAT(ids({.status = job_status::done, .author = "slowbrew"}), ElementsAre(done));
    // Of what is not done, nobody knows the author.
    for (const auto status : {job_status::pending, job_status::processing, job_status::error}) {
        EXPECT_THAT(ids({.status = status, .author = "slowbrew"}), IsEmpty());
    }
}

TEST_F(JobList, OfAnAuthorHasStablePages) {
    std::vector<job_id> all;
    for (int count = 0; count < 5; ++count) {
        all.push_back(done_by("slowbrew", ann_));
        done_by("another", ann_);
    }
    const auto first = list({.jobs_max = 2, .author = "slowbrew"});
    ASSERT_EQ(first.jobs.size(), 2U);
    EXPECT_EQ(first.next, all[3]);
    EXPECT_TRUE(run(store_.remove(ann_, all[3], soon())));
    done_by("slowbrew", ann_);
    EXPECT_THAT(
        ids({.jobs_max = 2, .author = "slowbrew", .before = first.next}),
        ElementsAre(all[2], all[1]));
    const auto last = list({.jobs_max = 2, .author = "slowbrew", .before = all[1]});
    ASSERT_EQ(last.jobs.size(), 1U);
    EXPECT_FALSE(last.next);
}

// Names are foreign text: the index must take any length, and tell long ones apart.
TEST_F(JobList, TakesNamesOfAnyLength) {
    const std::string beginning(100, 'x');
    std::string endless;
    for (int count = 0; count < 20'000; ++count) endless += std::to_string(count * 7919);
    const auto with_a = done_by(beginning + "a", ann_);
    const auto with_b = done_by(beginning + "b", ann_);
    const auto longest = done_by(endless, ann_);
    EXPECT_THAT(ids({.author = beginning + "A"}), ElementsAre(with_a));
    EXPECT_THAT(ids({.author = beginning + "b"}), ElementsAre(with_b));
    EXPECT_THAT(ids({.author = beginning}), IsEmpty());
    EXPECT_THAT(ids({.author = endless}), ElementsAre(longest));
}

constexpr db::query fill_query{"test.fill_with_reels", R"sql(
    INSERT INTO job (account_id, url, status, started_at, finished_at, result, code, author,
                     summary, analyzed_at)
    SELECT $1, 'https://www.instagram.com/reel/x/', 'done', now(), now(), '{}', 'x',
           CASE WHEN number % 100 = 0 THEN 'Rare' ELSE 'author' || number % 50 END, '', now()
      FROM generate_series(1, 20000) AS number)sql"};
constexpr db::query analyze_query{"test.analyze", "ANALYZE job"};
constexpr db::query explain_query{"test.explain_list", R"sql(
    EXPLAIN SELECT id FROM job
     WHERE account_id = 1 AND id < coalesce(NULL::bigint, 9223372036854775807)
       AND status = 'done' AND coalesce(NULL::job_status, 'done') = 'done'
       AND left(lower(author), 100) = left(lower('rare'), 100) AND lower(author) = lower('rare')
     ORDER BY id DESC LIMIT 21)sql"};

// The plan, not the clock: a page is read from the index in its order, without a sort.
TEST_F(JobList, OfAnAuthorReadsTheIndex) {
    run(pool().run(soon(), fill_query, ann_));
    run(pool().run(soon(), analyze_query));
    const auto explained = run(pool().run(soon(), explain_query));
    std::string plan;
    for (const auto row : explained) plan += row.as<std::string>("QUERY PLAN") + "\n";
    EXPECT_THAT(plan, HasSubstr("Index Scan using job_of_author"));
    EXPECT_THAT(plan, testing::Not(HasSubstr("Sort")));
    EXPECT_EQ(ids({.jobs_max = 20, .author = "rare"}).size(), 20U);
}

}  // namespace
}  // namespace reelsd::jobs
