// Goal: an author's reels are found among any others, page by page, and quickly.
#include "job_store_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::jobs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class JobList : public job_store_test {
protected:
    job_id done_by(const std::string& author, account_id owner) {
        const auto id = submitted(owner);
        const completed ended{
            .result = "{}", .brief = {.code = "DYa0IXPgnP5", .author = author, .summary = ""}};
        EXPECT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), ended, soon())));
        return id;
    }
    job_page list(job_filter filter) { return run(store_.list(ann_, std::move(filter), soon())); }
    std::vector<job_id> ids(job_filter filter) {
        std::vector<job_id> all;
        for (const auto& job : list(std::move(filter)).jobs) all.push_back(job.id);
        return all;
    }
};

TEST_F(JobList, MatchesAuthorsInAnyLetterCase) {
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
    for (const char* unknown : {"slowbre", "slow%", "slow_brew_", " slowbrew", "'"}) {
        EXPECT_THAT(ids({.author = unknown}), IsEmpty()) << unknown;
    }
}

TEST_F(JobList, CombinesAuthorAndStatus) {
    const auto done = done_by("slowbrew", ann_);
    EXPECT_GT(submitted(ann_).value, 0);
    EXPECT_THAT(ids({.status = job_status::done, .author = "slowbrew"}), ElementsAre(done));
    // The author of a job that is not done is unknown.
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

// Names are untrusted text: the index must accept any length and distinguish long names.
TEST_F(JobList, AcceptsNamesOfAnyLength) {
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

TEST_F(JobList, FindsJobsByTheTimeOfSubmission) {
    static constexpr db::query age{"test.age", R"sql(
        UPDATE job SET created_at = '2026-05-01T00:00:00Z'::timestamptz + make_interval(days => $2)
         WHERE id = $1)sql"};
    std::vector<job_id> all;
    for (int day = 0; day < 5; ++day) {
        all.push_back(submitted(ann_));
        run(pool().run(soon(), age, all.back(), day));
    }
    const auto at = [](int day) {
        return time_point{
            std::chrono::sys_days{std::chrono::May / 1 / 2026} + std::chrono::days{day}};
    };
    EXPECT_THAT(ids({.created_from = at(3)}), ElementsAre(all[4], all[3]));
    EXPECT_THAT(ids({.created_before = at(2)}), ElementsAre(all[1], all[0]));
    EXPECT_THAT(ids({.created_from = at(1), .created_before = at(2)}), ElementsAre(all[1]));
    EXPECT_THAT(ids({.created_from = at(5)}), IsEmpty());
    EXPECT_THAT(ids({.created_before = at(0)}), IsEmpty());
    const auto first = list({.jobs_max = 2, .created_from = at(1), .created_before = at(4)});
    EXPECT_EQ(first.next, all[2]);
    const auto last =
        list({.jobs_max = 2, .before = first.next, .created_from = at(1), .created_before = at(4)});
    ASSERT_EQ(last.jobs.size(), 1U) << "the next one is too old";
    EXPECT_EQ(last.jobs.front().id, all[1]);
    EXPECT_FALSE(last.next);
    EXPECT_FALSE(list({.jobs_max = 2, .created_from = at(3)}).next) << "the next one is too old";
}

constexpr db::query insert_job_query{"test.insert_job", R"sql(
    INSERT INTO job (account_id, url, status, finished_at, error_code, error, started_at, result,
                     code, author, summary, analyzed_at)
    VALUES ($1, $2, $3::job_status,
            CASE WHEN $3 IN ('done', 'error') THEN now() END,
            CASE $3 WHEN 'error' THEN 'unavailable'::job_error_code END,
            CASE $3 WHEN 'error' THEN 'Video is not available' END,
            CASE $3 WHEN 'done' THEN now() END,
            CASE $3 WHEN 'done' THEN '{}'::json END,
            CASE $3 WHEN 'done' THEN $4 END,
            CASE $3 WHEN 'done' THEN 'slowbrew' END,
            CASE $3 WHEN 'done' THEN '' END,
            CASE $3 WHEN 'done' THEN now() END)
    RETURNING id)sql"};

/// Only the newest job of each post.
class LatestJobs : public JobList {
protected:
    /// A job on the link, `code` for a done one.
    job_id add(
        account_id owner, const std::string& url, const std::string& status,
        const std::string& code = "") {
        const auto made = run(pool().run(soon(), insert_job_query, owner, url, status, code));
        return made.one().as<job_id>("id");
    }
    static std::string reel(const std::string& code) {
        return "https://www.instagram.com/reel/" + code + "/";
    }
};

TEST_F(LatestJobs, HideEarlierOnesOfTheSamePost) {
    const auto first = add(ann_, reel("DYa0IXPgnP5"), "done", "DYa0IXPgnP5");
    const auto other = add(ann_, reel("DYa0IXPgnP6"), "error");
    add(ann_, "https://instagram.com/ann/p/DYa0IXPgnP5?igsh=x", "error");
    const auto last = add(ann_, "http://m.instagram.com/tv/DYa0IXPgnP5", "pending");
    add(bob_, reel("DYa0IXPgnP5"), "done", "DYa0IXPgnP5");

    const auto page = list({.latest = true});
    ASSERT_EQ(page.jobs.size(), 2U);
    EXPECT_EQ(page.jobs[0].id, last);
    EXPECT_EQ(page.jobs[0].earlier, 2);
    EXPECT_EQ(page.jobs[1].id, other);
    EXPECT_EQ(page.jobs[1].earlier, 0);
    EXPECT_EQ(list({}).jobs.size(), 4U);
    EXPECT_EQ(list({}).jobs[0].earlier, std::nullopt);

    EXPECT_THAT(ids({.post_of = last}), ElementsAre(last, ids({})[1], first));
    EXPECT_THAT(ids({.before = last, .post_of = first}), ::testing::SizeIs(2));
    EXPECT_THAT(run(store_.list(bob_, {.post_of = last}, soon())).jobs, IsEmpty());

    EXPECT_THAT(ids({.status = job_status::pending, .latest = true}), ElementsAre(last));
    EXPECT_THAT(ids({.status = job_status::error, .latest = true}), ElementsAre(other));
    EXPECT_THAT(ids({.status = job_status::done, .latest = true}), IsEmpty());
    EXPECT_THAT(ids({.author = "slowbrew", .latest = true}), IsEmpty());
    EXPECT_TRUE(run(store_.remove(ann_, last, soon())));
    EXPECT_EQ(list({.status = job_status::error, .latest = true}).jobs[0].earlier, 1);
    EXPECT_THAT(ids({.author = "slowbrew"}), ElementsAre(first));
}

TEST_F(LatestJobs, DistinguishPosts) {
    const auto post = add(ann_, reel("DYa0IXPgnP5"), "error");
    const auto other_case = add(ann_, reel("dya0ixpgnp5"), "error");
    const auto slide = add(ann_, "https://www.instagram.com/p/DYa0IXPgnP5/?img_index=2", "error");
    const auto share = add(ann_, "https://www.instagram.com/share/BAxyz12345", "error");
    // Files may have the same name.
    const auto failed_file = add(ann_, "upload:video.mp4", "error");
    const auto pending_file = add(ann_, "upload:video.mp4", "pending");
    const auto file = add(ann_, "upload:video.mp4", "done", "upload-0123456789ab");
    EXPECT_THAT(
        ids({.latest = true}),
        ElementsAre(file, pending_file, failed_file, share, slide, other_case, post));
    EXPECT_THAT(ids({.post_of = failed_file}), IsEmpty());

    const auto same_file = add(ann_, "upload:copy.mp4", "done", "upload-0123456789ab");
    const auto same_share = add(ann_, "https://instagram.com/share/BAxyz12345/", "pending");
    EXPECT_THAT(
        ids({.latest = true}),
        ElementsAre(same_share, same_file, pending_file, failed_file, slide, other_case, post));
    // A worker has found the post behind the link.
    run(store_.keep_shared_post(same_share, reel("DYa0IXPgnP5"), soon()));
    EXPECT_THAT(
        ids({.latest = true}),
        ElementsAre(same_share, same_file, pending_file, failed_file, share, slide, other_case));
    EXPECT_EQ(list({.latest = true}).jobs[0].earlier, 1);
    // The post behind a share link may be a slide.
    const auto shared_slide = add(ann_, "https://instagram.com/share/BAslide123/", "pending");
    run(store_.keep_shared_post(
        shared_slide, "https://www.instagram.com/p/DYa0IXPgnP5/?img_index=2", soon()));
    EXPECT_THAT(
        ids({.latest = true}),
        ElementsAre(
            shared_slide, same_share, same_file, pending_file, failed_file, share, other_case));
}

TEST_F(LatestJobs, HaveStablePages) {
    std::vector<job_id> newest;
    for (const auto* code : {"aaaaa", "bbbbb", "ccccc", "ddddd"}) {
        add(ann_, reel(code), "error");
        newest.push_back(add(ann_, reel(code), "done", code));
    }
    const auto first = list({.jobs_max = 2, .latest = true});
    EXPECT_EQ(first.next, newest[2]);
    // A post that moves to the first page disappears from the next one.
    add(ann_, reel("aaaaa"), "pending");
    add(ann_, reel("eeeee"), "pending");
    const auto second = list({.jobs_max = 2, .before = first.next, .latest = true});
    ASSERT_EQ(second.jobs.size(), 1U);
    EXPECT_EQ(second.jobs[0].id, newest[1]);
    EXPECT_FALSE(second.next);
}

TEST_F(LatestJobs, RemoveFailedJobsInSteps) {
    for (int count = 0; count < 3; ++count) add(ann_, reel("DYa0IXPgnP5"), "error");
    const auto done = add(ann_, reel("DYa0IXPgnP5"), "done", "DYa0IXPgnP5");
    const auto pending = add(ann_, reel("DYa0IXPgnP5"), "pending");
    add(bob_, reel("DYa0IXPgnP5"), "error");
    EXPECT_EQ(run(store_.remove_failed(ann_, 2, soon())), 2);
    EXPECT_EQ(run(store_.remove_failed(ann_, 2, soon())), 1);
    EXPECT_EQ(run(store_.remove_failed(ann_, 2, soon())), 0);
    EXPECT_THAT(ids({}), ElementsAre(pending, done));
    EXPECT_EQ(run(store_.list(bob_, {}, soon())).jobs.size(), 1U);
}

constexpr db::query fill_with_reels_query{"test.fill_with_reels", R"sql(
    INSERT INTO job (account_id, url, status, started_at, finished_at, result, error_code, error,
                     code, author, summary, analyzed_at)
    SELECT $1, 'https://www.instagram.com/reel/code' || number % 6000 || '/', made.status,
           now(), now(),
           CASE made.status WHEN 'done' THEN '{}'::json END,
           CASE made.status WHEN 'error' THEN 'unavailable'::job_error_code END,
           CASE made.status WHEN 'error' THEN 'Video is not available' END,
           CASE made.status WHEN 'done' THEN 'code' || number % 6000 END,
           CASE WHEN made.status = 'error' THEN NULL WHEN number % 100 = 1 THEN 'Rare'
                ELSE 'author' || number % 50 END,
           CASE made.status WHEN 'done' THEN '' END,
           CASE made.status WHEN 'done' THEN now() END
      FROM generate_series(1, $2) AS number,
           LATERAL (SELECT CASE WHEN number % 10 = 0 THEN 'error' ELSE 'done' END::job_status)
               AS made (status))sql"};
// Reports the reads of this session at the end of the transaction that calls it.
constexpr db::query job_reads_query{"test.job_reads", R"sql(
    SELECT (SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'job') +
           (SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'job')
               AS reads)sql"};

/// Two accounts share the table, the older jobs first: statistics give each a large part of all
/// rows, so a plan that walks the primary key looks cheap. One connection, so that all statements
/// and their statistics belong to one session.
class JobListReads : public JobList {
protected:
    static constexpr int jobs_each = 12'000;
    /// Index entries and rows for a page of 20 and the row that shows whether there is a next one;
    /// and some for the levels of the index, and for rows of another status between them.
    static constexpr std::int64_t page_reads_max = 2 * 21 + 20;

    void SetUp() override {
        JobList::SetUp();
        single_.start();
        store_ = job_store{single_};
        queue_ = queue_store{single_};
        run(single_.run(soon(), fill_with_reels_query, ann_, jobs_each));
        run(single_.run(soon(), fill_with_reels_query, bob_, jobs_each));
        run(single_.run(soon(), analyze_query));
    }

    /// The most that one of several equal lists reads: with plans for these parameters, and with
    /// the plan that PostgreSQL keeps after some executions.
    std::int64_t reads_of_list(account_id owner, const job_filter& filter, std::size_t jobs) {
        std::int64_t most = 0;
        for (int count = 0; count < 8; ++count) {
            const auto before = reads_so_far();
            EXPECT_EQ(run(store_.list(owner, filter, soon())).jobs.size(), jobs);
            most = std::max(most, reads_so_far() - before);
        }
        return most;
    }

private:
    std::int64_t reads_so_far() {
        run(single_.run(soon(), flush_reads_query));
        const auto found = run(single_.run(soon(), job_reads_query));
        const auto row = found.one();
        return row.as<std::int64_t>("reads");
    }
    [[nodiscard]] db::pool_options options() const {
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        options.statement_timeout = test::patience;
        return options;
    }

    db::pool single_{loop().context().get_executor(), options(), log::logger::silent()};
};

TEST_F(JobListReads, AreLimitedToThePage) {
    struct test_case {
        const char* name;
        job_filter filter;
    };
    const test_case cases[] = {
        {"all", {}},
        {"done", {.status = job_status::done}},
        {"failed", {.status = job_status::error}},
        {"one author", {.author = "rare"}},
    };
    for (const auto owner : {ann_, bob_}) {
        for (const auto& expected : cases) {
            SCOPED_TRACE(expected.name);
            EXPECT_LE(reads_of_list(owner, expected.filter, 20), page_reads_max) << owner.value;
        }
    }
}

// Each row also has an entry in the index of posts, and one for the earlier job.
TEST_F(JobListReads, OfTheNewestJobsAreLimitedToThePage) {
    const job_filter cases[] = {
        {.latest = true},
        {.status = job_status::done, .latest = true},
        {.status = job_status::error, .latest = true},
        {.author = "rare", .latest = true},
    };
    constexpr std::int64_t latest_reads_max = 3 * page_reads_max;
    for (const auto owner : {ann_, bob_}) {
        for (const auto& filter : cases) {
            EXPECT_LE(reads_of_list(owner, filter, 20), latest_reads_max) << owner.value;
        }
        EXPECT_EQ(run(store_.list(owner, {.latest = true}, soon())).jobs[0].earlier, 1);
    }
}

TEST_F(JobListReads, OfActiveJobsExcludeEndedJobs) {
    const auto first = submitted(ann_);
    const auto second = submitted(ann_);
    EXPECT_THAT(ids({.status = job_status::pending}), ElementsAre(second, first));
    EXPECT_THAT(ids({.status = job_status::pending, .before = second}), ElementsAre(first));
    EXPECT_LE(reads_of_list(ann_, {.status = job_status::pending}, 2), page_reads_max);
    EXPECT_LE(reads_of_list(ann_, {.status = job_status::processing}, 0), page_reads_max);
}

}  // namespace
}  // namespace reelsd::jobs
