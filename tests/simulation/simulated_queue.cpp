#include "simulated_queue.hpp"

#include <reelsd/async/condition.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace reelsd::simulation {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// How long a statement may hang before it is executed: longer than any caller waits.
constexpr duration late_max = 20s;
/// Longer than a short lease is safe, and shorter than a caller waits for a claim.
constexpr duration slow_answer_min = 1s;
constexpr duration slow_answer_max = 7s;
/// When a caller learns that the database is unreachable, if its deadline has not passed by then.
constexpr duration refusal_max = 2s;

std::exception_ptr away(db::outage why) {
    return std::make_exception_ptr(db::unavailable{why, "simulated"});
}

std::exception_ptr disk_full() {
    return std::make_exception_ptr(db::refused{"53100", "simulated"});
}

/// A statement and its answer, shared by the caller, which may give up or die, and by its planned
/// events.
template <class Answer>
struct exchange {
    std::function<Answer()> statement;
    async::condition settled;
    std::optional<Answer> answer;
    std::exception_ptr failure;

    [[nodiscard]] bool is_over() const { return answer.has_value() || failure != nullptr; }
    void give(Answer value) {
        if (is_over()) return;
        answer = std::move(value);
        settled.notify_all();
    }
    void fail(std::exception_ptr why) {
        if (is_over()) return;
        failure = std::move(why);
        settled.notify_all();
    }
};

/// Outcome of one statement, drawn when it is sent.
struct course {
    duration runs_after{};
    duration settled_after{};  ///< From when it has run, or else from now on.
    bool runs = true;
    std::exception_ptr failure;  ///< The caller's error instead of the answer.
};

course drawn_course(simulated_database& database, const line& way) {
    auto& chance = database.chance();
    const auto& now = database.current();
    course drawn{
        .runs_after = chance.around(now.delay_mean),
        .settled_after = chance.around(now.delay_mean),
        .runs = true,
        .failure = nullptr};
    double die = chance.fraction();
    const auto falls_within = [&die](double probability) {
        const bool within = die >= 0 && die < probability;
        die -= probability;
        return within;
    };
    if (now.is_outage || way.is_cut_off) {
        drawn.runs = false;
        drawn.settled_after = chance.between(duration::zero(), refusal_max);
        drawn.failure = away(db::outage::no_connection);
    } else if (falls_within(now.lost_before)) {
        drawn.runs = false;
        drawn.failure = away(db::outage::connection_lost);
    } else if (falls_within(now.lost_after)) {
        drawn.failure = away(db::outage::connection_lost);
    } else if (falls_within(now.late)) {
        drawn.runs_after = chance.between(duration::zero(), late_max);
    } else if (falls_within(now.slow_answer)) {
        drawn.settled_after = chance.between(slow_answer_min, slow_answer_max);
    } else if (falls_within(now.refused)) {
        drawn.runs = false;
        drawn.failure = disk_full();
    } else {
        return drawn;
    }
    ++database.faults;
    return drawn;
}

/// Leases of a daemon's workers from before `when`.
std::vector<jobs::lease> taken_before(
    simulated_database& database, const std::string& worker, instant when) {
    std::vector<jobs::lease> taken;
    for (const auto& [until, id] : database.model().leased()) {
        const auto& row = *database.model().find({id});
        const bool is_own = row.worker == worker || row.worker.starts_with(worker + "/");
        if (is_own && database.watch().claimed_at(row.id) < when)
            taken.push_back({row.id, row.claim});
    }
    return taken;
}

/// A full claim that returned less than requested must not leave earlier leases that the daemon
/// does not know.
void check_nothing_left_lying(
    simulated_database& database, const std::string& worker, const jobs::claim_request& request,
    instant sent, std::size_t taken) {
    if (request.from_turn != 0 || taken == static_cast<std::size_t>(request.jobs_max)) return;
    const auto& in_flight = request.in_flight;
    for (const auto& lease : taken_before(database, worker, sent)) {
        const bool is_known =
            std::find(in_flight.begin(), in_flight.end(), lease.job) != in_flight.end() ||
            database.watch().has_begun(lease);
        database.watch().require(
            is_known, lease.job, "the jobs of a lost claim were not reclaimed");
    }
}

/// Plans the outcome of a statement. A statement of a daemon that dies or is disconnected may or
/// may not arrive.
template <class Answer>
void send(
    simulated_database& database, const std::shared_ptr<exchange<Answer>>& call,
    const std::shared_ptr<line>& way) {
    ++database.statements;
    const auto drawn = drawn_course(database, *way);
    const auto settle_failed = [call, why = drawn.failure] { call->fail(why); };
    if (!drawn.runs) return database.loop().after(drawn.settled_after, settle_failed);
    // Reported before the statement runs, because a connection breaks on one side first.
    if (drawn.failure) database.loop().after(drawn.settled_after, settle_failed);
    const auto cuts_of = [&database, way] { return database.outages() + way->cuts; };
    const auto arrive = [&database, call, way, drawn, cuts_of, cuts = cuts_of()] {
        const bool is_cut = cuts_of() != cuts || !way->is_alive;
        if (is_cut && database.chance().chance(0.5))
            return call->fail(away(db::outage::connection_lost));
        auto answer = call->statement();
        if (drawn.failure) return;
        const auto deliver = [call, answer = std::move(answer)] { call->give(answer); };
        database.loop().after(drawn.settled_after, deliver);
    };
    database.loop().after(drawn.runs_after, arrive);
}

}  // namespace

void simulated_database::set_weather(const weather& now) {
    if (now.is_outage && !weather_.is_outage) ++outages_;
    weather_ = now;
}

instant simulated_database::now() const {
    const auto since = loop_.now().time_since_epoch();
    return instant{std::chrono::duration_cast<duration>(since * clock_rate_)};
}

simulated_queue::simulated_queue(
    simulated_database& database, std::string worker, double lease_rate)
    : database_{database}, worker_{std::move(worker)}, lease_rate_{lease_rate} {}

simulated_queue::~simulated_queue() {
    line_->is_alive = false;
}

void simulated_queue::cut_off() {
    line_->is_cut_off = true;
    ++line_->cuts;
}

template <class Answer>
asio::awaitable<Answer> simulated_queue::run(deadline by, std::function<Answer()> statement) {
    const auto pending = std::make_shared<exchange<Answer>>();
    pending->statement = std::move(statement);
    send(database_, pending, line_);
    while (!pending->is_over() && !by.passed())
        static_cast<void>(co_await pending->settled.wait(by));
    if (pending->failure) std::rethrow_exception(pending->failure);
    if (!pending->answer) throw db::unavailable{db::outage::deadline_passed, "simulated"};
    co_return *std::move(pending->answer);
}

asio::awaitable<std::vector<jobs::claimed_job>> simulated_queue::claim(
    jobs::claim_request request, deadline by) {
    request.lease *= lease_rate_;
    ++database_.claims;
    if (request.from_turn == 0) ++database_.full_claims;
    const auto statement = [&database = database_,
                            worker = worker_,
                            request = std::move(request),
                            sent = database_.loop().now()] {
        auto claimed = database.model().claim(database.now(), request);
        check_nothing_left_lying(database, worker, request, sent, claimed.size());
        return claimed;
    };
    return run<std::vector<jobs::claimed_job>>(by, statement);
}

asio::awaitable<jobs::line_answer> simulated_queue::claim_in_line(
    jobs::claim_request request, jobs::platform_line line, deadline by) {
    request.lease *= lease_rate_;
    const auto statement =
        [&database = database_, request = std::move(request), line = std::move(line)] {
            return database.model().claim_in_line(database.now(), request, line);
        };
    return run<jobs::line_answer>(by, statement);
}

asio::awaitable<jobs::renewal> simulated_queue::renew(
    std::vector<jobs::lease> held, seconds_f lease, deadline by) {
    lease *= lease_rate_;
    const auto statement = [&database = database_, held = std::move(held), lease] {
        return jobs::renewal{
            .renewed = database.model().renew(database.now(), held, lease), .skipped = {}};
    };
    return run<jobs::renewal>(by, statement);
}

asio::awaitable<std::vector<job_id>> simulated_queue::lost_among(
    std::vector<jobs::lease> held, deadline by) {
    const auto statement = [&database = database_, held = std::move(held)] {
        return database.model().lost_among(held);
    };
    return run<std::vector<job_id>>(by, statement);
}

asio::awaitable<std::vector<job_id>> simulated_queue::rescue(
    jobs::rescue_request request, deadline by) {
    const auto statement = [&database = database_,
                            worker = worker_,
                            request = std::move(request),
                            sent = database_.loop().now()] {
        const auto own = taken_before(database, worker, sent);
        const auto ended = database.model().rescue(database.now(), request);
        for (const auto& lease : own) {
            const bool is_left = database.model().lost_among({lease}).empty();
            database.watch().require(is_left, lease.job, "a daemon rescued its own job");
        }
        return ended;
    };
    return run<std::vector<job_id>>(by, statement);
}

asio::awaitable<bool> simulated_queue::report(
    jobs::lease held, jobs::transition ended, deadline by) {
    const auto* const success = std::get_if<jobs::completed>(&ended);
    const bool is_refused = success != nullptr && success->result == unstorable_result;
    const std::function<bool()> statement = [&database = database_, held, ended, is_refused] {
        return !is_refused && database.model().report(database.now(), held, ended);
    };
    // Another worker may have begun by the time of the answer.
    const bool was_begun = database_.watch().has_begun(held);
    const bool written = co_await run<bool>(by, statement);
    if (is_refused) throw db::refused{"22P02", "simulated"};
    if (written && was_begun) ++confirmed_reports_;
    co_return written;
}

}  // namespace reelsd::simulation
