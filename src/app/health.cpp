#include "health.hpp"

#include "from_settings.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Upper bound on all statements of one report.
constexpr auto report_time_max = 1s;

time_point now_plus(seconds_f later) {
    return wall_clock_now() + std::chrono::duration_cast<time_point::duration>(later);
}

json resolver_view(const pacing::resolver_state& resolver) {
    const bool cools_down = resolver.cooldown_left.count() > 0;
    json view{
        {"name", resolver.resolver},
        {"state", cools_down ? "cooling_down" : "ready"},
        {"unknown_answers", resolver.unknown_answers}};
    if (cools_down) view["cooldown_until"] = to_rfc3339(now_plus(resolver.cooldown_left));
    if (resolver.answered_at) view["answered_at"] = to_rfc3339(*resolver.answered_at);
    return view;
}

json model_view(const model::circuit_state& circuit) {
    const bool is_open = circuit.open_for.count() > 0;
    json view{
        {"provider", circuit.provider},
        {"model", circuit.model},
        {"circuit", is_open ? "open" : "closed"}};
    if (is_open) view["asked_again_at"] = to_rfc3339(now_plus(circuit.open_for));
    return view;
}

constexpr auto check_interval = 1s;
constexpr auto check_time_max = 1s;
/// Longer than a check with two statements.
constexpr auto first_check_max = 3s;
/// Idle workers claim every second, and a claim takes up to 2 s.
constexpr auto claim_silence_max = 5s;
/// How long a failed submission of a client counts, even if checks succeed.
constexpr auto fault_memory = 5s;

error unready(std::string text) {
    return error{errc::database_unavailable, "not ready: " + std::move(text)};
}

/// The cause of a failed check, for clients.
std::string unready_text(const db::failure& why, const db::pool_state& pool) {
    const auto* const outage = dynamic_cast<const db::unavailable*>(&why);
    if (outage == nullptr) return "submissions cannot be stored";
    if (outage->reason() == db::outage::read_only) {
        return "submissions cannot be stored: the database is read-only";
    }
    if (outage->reason() == db::outage::no_connection && pool.lacks_library) {
        return "the database server cannot load a library, because its files were replaced while "
               "it runs; restart PostgreSQL";
    }
    const bool is_reachable = outage->reason() == db::outage::overloaded ||
                              outage->reason() == db::outage::statement_timeout ||
                              outage->reason() == db::outage::contention;
    return is_reachable ? "the database does not answer in time" : "the database is not reachable";
}

}  // namespace

health::health(health_dependencies dependencies)
    : deps_{std::move(dependencies)},
      resolvers_{resolvers_in_use(deps_.config)},
      started_at_{wall_clock_now()} {}

awaitable<std::string> health::metrics_text() {
    metrics_snapshot snapshot{
        .started_at = started_at_,
        .is_ready = deps_.readiness.is_ready(),
        .server = deps_.server.counts(),
        .pool = deps_.pool.state(),
        .queries = deps_.pool.metrics(),
        .workers = deps_.config.workers,
        .workers_busy = deps_.dispatcher.busy(),
        .waiters = deps_.poller.waiter_count(),
        .jail_layers = deps_.jail_layers,
        .kept = deps_.callers.kept(),
        .circuits = deps_.models.get()->circuits(),
        .webhook_tries = deps_.deliverer.held()};
    if (deps_.vectors != nullptr)
        snapshot.embedder.emplace(deps_.vectors->embedder(), deps_.vectors->is_active());
    try {
        jobs::job_store jobs{deps_.pool};
        usage::call_ledger_store ledger{deps_.pool};
        webhooks::delivery_store deliveries{deps_.pool};
        retention::retention_store retention{deps_.pool};
        const auto by = deadline::after(report_time_max);
        snapshot.queue = co_await jobs.look_at_queue(by);
        snapshot.resolvers = co_await states_in_use(by);
        if (deps_.platform_session != nullptr)
            snapshot.session_enabled = co_await is_session_enabled(by);
        snapshot.models = co_await ledger.totals(by);
        snapshot.deliveries = co_await deliveries.metrics(by);
        snapshot.backlog = co_await retention.look_at_backlog(
            deps_.config.results_kept, deps_.config.usage_kept, by);
        snapshot.media = co_await jobs::media_store{deps_.pool}.state(by);
    } catch (const db::failure& failure) {
        // reelsd_database_up reports it.
        deps_.log.debug("reading queue metrics failed", {{"reason", failure.what()}});
    }
    co_return deps_.registry.text(snapshot);
}

awaitable<std::vector<pacing::resolver_state>> health::states_in_use(deadline by) {
    pacing::pace_store paces{deps_.pool};
    auto states = co_await paces.list(platform_host(deps_.config), by);
    std::erase_if(states, [this](const pacing::resolver_state& state) {
        return !platform::is_in_use(state.resolver, resolvers_) &&
               platform::resolver_in(state.resolver) != platform::share_resolver_name;
    });
    co_return states;
}

awaitable<bool> health::is_session_enabled(deadline by) {
    const auto fingerprint = deps_.platform_session->fingerprint();
    if (fingerprint.empty()) co_return false;
    pacing::refused_session_store refusals{deps_.pool};
    const auto resolver = session_resolver_of(deps_.config);
    const auto refusal = co_await refusals.find(resolver, fingerprint, by);
    co_return !refusal.has_value();
}

awaitable<json> health::view() {
    json view{
        {"started_at", to_rfc3339(started_at_)},
        {"analyzer", deps_.models.get()->chosen().name()},
        {"workers", {{"configured", deps_.config.workers}, {"busy", deps_.dispatcher.busy()}}}};
    const auto states = co_await states_in_use(deadline::after(report_time_max));
    view["resolvers"] = json::array();
    for (const auto& name : resolvers_) {
        const auto known = std::ranges::find(states, name, &pacing::resolver_state::resolver);
        if (known == states.end()) {  // Never used: there is no row yet.
            view["resolvers"].push_back(resolver_view({.resolver = name}));
            continue;
        }
        view["resolvers"].push_back(resolver_view(*known));
        view["resolvers"].back()["never_answered"] = known->has_never_answered();
    }
    view["models"] = json::array();
    const auto circuits = deps_.models.get()->circuits();
    for (const auto& circuit : circuits) {
        view["models"].push_back(model_view(circuit));
    }
    co_return view;
}

awaitable<bool> health::platform_never_answered() {
    auto states = co_await states_in_use(deadline::after(report_time_max));
    std::erase_if(states, [](const pacing::resolver_state& state) {
        return platform::resolver_in(state.resolver) == platform::share_resolver_name;
    });
    co_return pacing::has_never_answered(states);
}

readiness_monitor::readiness_monitor(
    const asio::any_io_executor& loop, db::pool& pool,
    std::function<std::optional<monotonic_clock::time_point>()> claimed_at, log::logger log)
    : background_task{"watch readiness", loop, std::move(log)},
      pool_{pool},
      claimed_at_{std::move(claimed_at)},
      state_{unready("starting")} {}

awaitable<void> readiness_monitor::run() {
    for (;;) {
        note(co_await check());
        co_await async::pause(check_interval);
    }
}

awaitable<bool> readiness_monitor::stop(deadline by) {
    is_stopping_ = true;
    return background_task::stop(by);
}

awaitable<result<void>> readiness_monitor::state() {
    if (is_stopping_) co_return unready("the service is shutting down");
    if (!has_checked_) static_cast<void>(co_await checked_.wait(deadline::after(first_check_max)));
    co_return state_;
}

awaitable<result<void>> readiness_monitor::check() {
    try {
        co_await check_submissions();
    } catch (const db::failure& failure) {
        cause_ = failure.what();
        co_return unready(unready_text(failure, pool_.state()));
    }
    if (faulty_at_) {
        cause_ = "submissions fail";
        co_return unready("submissions cannot be stored");
    }
    const auto claimed_at = claimed_at_();
    if (claimed_at && monotonic_clock::now() - *claimed_at > claim_silence_max) {
        cause_ = "the dispatcher's claims fail";
        co_return unready("jobs cannot be claimed");
    }
    co_return result<void>{};
}

awaitable<void> readiness_monitor::check_submissions() {
    const auto& metrics = pool_.metrics();
    const auto submitted = metrics.find("jobs.submit");
    const auto counts = submitted == metrics.end() ? db::query_metrics{} : submitted->second;
    const auto successes = counts.count - counts.errors;
    const bool has_failed = std::exchange(faults_, counts.faults) != counts.faults;
    const bool has_succeeded = std::exchange(submissions_, successes) != successes;
    if (has_failed) {
        faulty_at_ = monotonic_clock::now();
    } else if (has_succeeded) {
        faulty_at_.reset();
    }
    jobs::job_store jobs{pool_};
    co_await jobs.check_submissions(deadline::after(check_time_max));
    if (!faulty_at_) co_return;
    co_await jobs.check_storage(deadline::after(check_time_max));
    // After a short fault, submissions have both failed and succeeded since the last check.
    if (has_succeeded || monotonic_clock::now() - *faulty_at_ > fault_memory) faulty_at_.reset();
}

void readiness_monitor::note(result<void> checked) {
    has_checked_ = true;
    checked_.notify_all();
    const bool was_ready = state_.has_value();
    const auto before = was_ready ? std::string{} : state_.error().detail();
    state_ = std::move(checked);
    if (state_ && !was_ready) log().info("ready");
    if (!state_ && state_.error().detail() != before) {
        log().warning("not ready", {{"check", state_.error().detail()}, {"reason", cause_}});
    }
}

}  // namespace reelsd::app
