// Goal: the simulation's model of the queue behaves like the table. Method: the same random
// operations on the model and on queue_store over PostgreSQL; every answer and all rows are
// compared after each. Time passes by moving leases and due times, so that no answer depends on the
// speed of the machine. REELSD_QUEUE_MODEL_SEED sets the first of other seeds.
#include "queue_model.hpp"

#include "support/test_database.hpp"
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace reelsd::simulation {
namespace {

using namespace std::chrono_literals;

constexpr const char* link = "https://www.instagram.com/reel/DYa0IXPgnP5/";
constexpr int attempts_max = 3;
/// Longer than any test.
constexpr seconds_f far_off{3600};

constexpr db::query expire_query{"test.expire", R"sql(
    UPDATE job SET lease_until = now() - make_interval(secs => $2) WHERE id = $1)sql"};
constexpr db::query make_due_query{"test.make_due", R"sql(
    UPDATE job SET run_at = now() - make_interval(secs => $2) WHERE id = $1)sql"};
constexpr db::query make_permit_due_query{"test.make_permit_due", R"sql(
    UPDATE resolver_pace
       SET next_at = '-infinity', busy_until = '-infinity', hour_tokens = NULL,
           hour_at = NULL)sql"};
constexpr db::query rows_query{"test.rows", R"sql(
    SELECT format('%s %s turn %s attempt %s claim %s epoch %s %s', id, status, turn, attempt,
                  claim, claim_epoch,
                  concat_ws(' ', waits_for, permit, worker, error_code, error, result,
                            CASE WHEN status = 'pending' AND run_at <= now() THEN 'due' END,
                            CASE WHEN lease_until < now() THEN 'expired' END,
                            (SELECT string_agg(concat_ws(' ', failure->>'attempt',
                                                         failure->>'worker', failure->>'cause',
                                                         failure->>'step'), ' ')
                               FROM jsonb_array_elements(failed_attempts) AS failure))) AS text
      FROM job ORDER BY id)sql"};

std::vector<std::string> sorted(std::vector<std::string> all) {
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::string> texts_of(const std::vector<job_id>& jobs) {
    std::vector<std::string> texts;
    for (const auto job : jobs) texts.push_back(std::to_string(job.value));
    return sorted(std::move(texts));
}

std::vector<std::string> texts_of(const std::vector<jobs::lease>& held) {
    std::vector<std::string> texts;
    for (const auto& one : held) texts.push_back(fmt::format("{} {}", one.job.value, one.claim));
    return sorted(std::move(texts));
}

std::vector<std::string> texts_of(const std::vector<jobs::claimed_job>& claimed) {
    std::vector<std::string> texts;
    for (const auto& one : claimed) {
        texts.push_back(fmt::format("{} {} {} {}", one.id.value, one.claim, one.attempt, one.turn));
    }
    return sorted(std::move(texts));
}

class QueueModel : public test::database_test, public ::testing::WithParamInterface<int> {
protected:
    void SetUp() override {
        test::database_test::SetUp();
        accounts::account_store accounts{pool()};
        for (const auto* const email : {"ann@example.com", "bob@example.com", "eve@example.com"}) {
            owners_.push_back(run(accounts.create(email, accounts::role::member, soon())).value());
        }
        if (GetParam() % 2 == 0) return;
        limits_.concurrent_jobs = 3;
        model_.limit_concurrent_jobs(3);
    }

    /// One operation on both. Each takes a moment of the model's time, as it does of the server's.
    void take_step() {
        now_ += 1ms;
        switch (dice_.below(16)) {
            case 0:
            case 1:
            case 2: return submit();
            case 3:
            case 4:
            case 5: return claim();
            case 6:
            case 7: return report();
            case 8: return renew();
            case 9: return rescue();
            case 10: return move_time();
            case 11:
            case 12: return claim_in_line();
            case 13: return ask_permit();
            case 14: {
                run(pool().run(soon(), make_permit_due_query));
                return model_.make_permit_due();
            }
            default: return ask_or_remove();
        }
    }

    void submit() {
        const auto by = owners_[dice_.below(owners_.size())];
        const auto admitted = run(store_.submit(by, {.url = link, .queue = true}, limits_, soon()));
        EXPECT_EQ(admitted.job, model_.submit(now_, by));
    }

    void claim_in_line() {
        const auto worker = dice_.below(workers);
        const jobs::claim_request request{
            .worker = name_of(worker),
            .jobs_max = 1,
            .lease = far_off,
            .in_flight = drawn_jobs(3),
            .claim_epoch = epochs_.at(worker)};
        const auto stored = run(queue_.claim_in_line(request, line_, soon()));
        const auto expected = model_.claim_in_line(now_, request, line_);
        EXPECT_EQ(stored.is_empty, expected.is_empty);
        ASSERT_EQ(stored.job.has_value(), expected.job.has_value());
        if (!stored.job) return;
        EXPECT_EQ(texts_of(std::vector{*stored.job}), texts_of(std::vector{*expected.job}));
        leases_.push_back({stored.job->id, stored.job->claim});
    }

    void ask_permit() {
        const auto held = random_lease();
        const pacing::pace pace{.interval = line_.interval, .tries_per_hour = 1000};
        const auto turn = run(paces_.ask_permit(
            held.job, held.claim, {.host = line_.host, .resolver = "page"}, pace, soon()));
        EXPECT_EQ(turn.given == pacing::permit::status::now, model_.ask_permit(now_, held, line_));
    }

    void claim() {
        const auto worker = dice_.below(workers);
        // Sometimes the answer is lost; its jobs have a lower epoch than the next claim.
        const jobs::claim_request request{
            .worker = name_of(worker),
            .jobs_max = 1 + static_cast<int>(dice_.below(4)),
            .lease = far_off,
            .in_flight = drawn_jobs(3),
            .claim_epoch = epochs_.at(worker),
            .from_turn = static_cast<std::int64_t>(dice_.below(2) * dice_.below(100))};
        const auto claimed = run(queue_.claim(request, soon()));
        EXPECT_EQ(texts_of(claimed), texts_of(model_.claim(now_, request)));
        for (const auto& job : claimed) leases_.push_back({job.id, job.claim});
        if (dice_.chance(0.3)) ++epochs_[worker];
    }

    void report() {
        const auto held = random_lease();
        const auto ended = drawn_transition();
        EXPECT_EQ(run(queue_.report(held, ended, soon())), model_.report(now_, held, ended));
    }

    void renew() {
        const auto held = random_leases(5);
        const auto kept = run(queue_.renew(held, far_off, soon())).renewed;
        EXPECT_EQ(texts_of(kept), texts_of(model_.renew(now_, held, far_off)));
    }

    void rescue() {
        const auto worker = dice_.below(workers);
        jobs::rescue_request request{
            .held = random_leases(2),
            .worker = name_of(worker),
            .claim_epoch = epochs_.at(worker),
            .attempts_max = attempts_max,
            .exhausted_text = "its worker died"};
        // Otherwise of a daemon without a pace.
        if (dice_.chance(0.8)) request.line_host = line_.host;
        const auto ended = run(queue_.rescue(request, soon()));
        EXPECT_EQ(texts_of(ended), texts_of(model_.rescue(now_, request)));
    }

    /// Expires the lease of a running job, or makes a waiting job due. Each at its own second,
    /// which determines their order.
    void move_time() {
        const auto job = drawn_job();
        const auto* const row = model_.find(job);
        if (row == nullptr) return;
        const seconds_f before{100.0 - 0.01 * static_cast<double>(++moves_)};
        const auto then = now_ - in_clock_units(before);
        if (row->status == jobs::job_status::processing) {
            run(pool().run(soon(), expire_query, job, before.count()));
            model_.expire(job, then);
        } else if (row->status == jobs::job_status::pending) {
            run(pool().run(soon(), make_due_query, job, before.count()));
            model_.make_due(job, then);
        }
    }

    void ask_or_remove() {
        const auto held = random_leases(5);
        const auto lost = run(queue_.lost_among(held, soon()));
        EXPECT_EQ(texts_of(lost), texts_of(model_.lost_among(held)));
        const auto gone = drawn_job();
        if (dice_.chance(0.5)) return;
        const auto* const row = model_.find(gone);
        const auto owner = row == nullptr ? owners_.front() : row->account;
        EXPECT_EQ(run(store_.remove(owner, gone, soon())), model_.remove(now_, gone));
    }

    [[nodiscard]] std::vector<std::string> stored_rows() {
        const auto found = run(pool().run(soon(), rows_query));
        return found.map([](const db::row& row) { return row.as<std::string>("text"); });
    }

    [[nodiscard]] std::vector<std::string> model_rows() const {
        std::vector<std::string> texts;
        for (const auto& [id, row] : model_.rows()) {
            auto text = fmt::format(
                "{} {} turn {} attempt {} claim {} epoch {} ",
                id,
                reelsd::name_of(row.status),
                row.turn,
                row.attempt,
                row.claim,
                row.claim_epoch);
            std::vector<std::string> more;
            if (!row.waits_for.empty()) more.push_back(row.waits_for);
            if (!row.permit.empty()) more.push_back(row.permit);
            if (!row.worker.empty()) more.push_back(row.worker);
            if (row.error_code) more.emplace_back(reelsd::name_of(*row.error_code));
            if (!row.error.empty()) more.push_back(row.error);
            if (!row.result.empty()) more.push_back(row.result);
            const bool is_pending = row.status == jobs::job_status::pending;
            const bool is_processing = row.status == jobs::job_status::processing;
            if (is_pending && row.run_at <= now_) more.emplace_back("due");
            if (is_processing && row.lease_until < now_) more.emplace_back("expired");
            for (const auto& failure : row.failed_attempts) more.push_back(failure);
            texts.push_back(text + fmt::format("{}", fmt::join(more, " ")));
        }
        return texts;
    }

    static constexpr std::size_t workers = 3;

    [[nodiscard]] static std::string name_of(std::size_t worker) {
        return fmt::format("w{}", worker);
    }

    /// Possibly a removed or unknown one.
    [[nodiscard]] job_id drawn_job() {
        const auto most = model_.rows().empty() ? 1 : model_.rows().rbegin()->first + 1;
        return {1 + static_cast<std::int64_t>(dice_.below(static_cast<std::size_t>(most)))};
    }
    /// Without duplicates, as in a daemon.
    [[nodiscard]] std::vector<job_id> drawn_jobs(std::size_t most) {
        std::map<std::int64_t, job_id> drawn;
        for (auto left = dice_.below(most + 1); left > 0; --left) {
            const auto job = drawn_job();
            drawn.emplace(job.value, job);
        }
        std::vector<job_id> jobs;
        for (const auto& [id, job] : drawn) jobs.push_back(job);
        return jobs;
    }
    /// Mostly a recent one, because most older claims have ended.
    [[nodiscard]] jobs::lease random_lease() {
        if (leases_.empty()) return {{1}, 1};
        const auto recent = std::min<std::size_t>(leases_.size(), 8);
        return leases_[leases_.size() - 1 - dice_.below(recent)];
    }
    [[nodiscard]] std::vector<jobs::lease> random_leases(std::size_t most) {
        std::map<std::int64_t, jobs::lease> drawn;
        for (auto left = dice_.below(most + 1); left > 0; --left) {
            const auto one = random_lease();
            drawn.emplace(one.job.value, one);
        }
        std::vector<jobs::lease> held;
        for (const auto& [id, one] : drawn) held.push_back(one);
        return held;
    }
    [[nodiscard]] jobs::transition drawn_transition() {
        const seconds_f delay = dice_.chance(0.5) ? seconds_f{0} : far_off;
        switch (dice_.below(7)) {
            case 0: return jobs::completed{R"({"a":1})"};
            case 1:
                return jobs::failed{
                    .code = jobs::job_error_code::unavailable,
                    .text = "not there",
                    .why = {.cause = errc::video_unavailable, .step = "resolve"}};
            case 2:
                return jobs::retried{
                    .delay = delay, .why = {.cause = errc::timed_out, .step = "download"}};
            case 3: return jobs::snoozed{delay};
            case 4:
            case 5: return jobs::awaiting_permit{line_.host};
            default: return jobs::released{};
        }
    }

    dice dice_{static_cast<std::uint64_t>(GetParam())};
    instant now_{24h};
    queue_model model_{[](row_change, const model_row*, const model_row*) {}};
    jobs::job_store store_{pool()};
    jobs::queue_store queue_{pool()};
    jobs::default_limits limits_{.submissions_per_minute = 100'000, .concurrent_jobs = 100'000};
    std::vector<account_id> owners_;
    pacing::pace_store paces_{pool()};
    jobs::platform_line line_{
        .host = "www.instagram.com",
        .resolvers = {"page"},
        .interval = far_off,
        .tries_per_hour = 1000};
    std::vector<jobs::lease> leases_;  ///< All leases so far.
    std::map<std::size_t, std::int32_t> epochs_{{0, 0}, {1, 0}, {2, 0}};
    int moves_ = 0;
};

TEST_P(QueueModel, BehavesLikeTheTable) {
    constexpr int steps = 250;
    for (int step = 0; step < steps && !HasFailure(); ++step) {
        SCOPED_TRACE(fmt::format("seed {}, step {}", GetParam(), step));
        take_step();
        EXPECT_EQ(stored_rows(), model_rows());
    }
}

int first_seed() {
    const char* const given = std::getenv("REELSD_QUEUE_MODEL_SEED");
    return given == nullptr ? 1 : std::stoi(given);
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueueModel, ::testing::Range(first_seed(), first_seed() + 6));

}  // namespace
}  // namespace reelsd::simulation
