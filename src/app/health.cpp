#include "health.hpp"

#include "platform_source.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/db/errors.hpp>
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
    const auto when = std::chrono::system_clock::now() +
                      std::chrono::duration_cast<std::chrono::system_clock::duration>(later);
    return std::chrono::time_point_cast<std::chrono::microseconds>(when);
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

}  // namespace

health::health(health_dependencies dependencies)
    : deps_{std::move(dependencies)},
      started_at_{std::chrono::time_point_cast<std::chrono::microseconds>(
          std::chrono::system_clock::now())} {}

asio::awaitable<std::string> health::metrics_text() {
    metrics_snapshot snapshot{
        .server = deps_.server.counts(),
        .pool = deps_.pool.state(),
        .queries = deps_.pool.metrics(),
        .workers = deps_.config.workers,
        .workers_busy = deps_.dispatcher.busy(),
        .waiters = deps_.poller.waiter_count(),
        .jail_layers = deps_.jail_layers,
        .kept = deps_.callers.kept(),
        .queue = std::nullopt,
        .resolvers = {},
        .session_enabled = std::nullopt,
        .circuits = deps_.models.circuits(),
        .embedder = std::nullopt,
        .models = {},
        .webhook_tries = deps_.deliverer.held(),
        .deliveries = std::nullopt,
        .backlog = std::nullopt,
        .media = std::nullopt};
    if (deps_.vectors != nullptr)
        snapshot.embedder.emplace(deps_.vectors->embedder(), deps_.vectors->is_active());
    try {
        jobs::job_store jobs{deps_.pool};
        pacing::pace_store paces{deps_.pool};
        usage::call_ledger_store ledger{deps_.pool};
        webhooks::delivery_store deliveries{deps_.pool};
        retention::retention_store retention{deps_.pool};
        const auto by = deadline::after(report_time_max);
        snapshot.queue = co_await jobs.look_at_queue(by);
        snapshot.resolvers = co_await paces.list(platform_host(deps_.config), by);
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

asio::awaitable<bool> health::is_session_enabled(deadline by) {
    const auto fingerprint = deps_.platform_session->fingerprint();
    if (fingerprint.empty()) co_return false;
    pacing::refused_session_store refusals{deps_.pool};
    const auto resolver = session_resolver_of(deps_.config);
    const auto refusal = co_await refusals.find(resolver, fingerprint, by);
    co_return !refusal.has_value();
}

asio::awaitable<json> health::view() {
    json view{
        {"started_at", to_rfc3339(started_at_)},
        {"analyzer", deps_.models.chosen().name()},
        {"workers", {{"configured", deps_.config.workers}, {"busy", deps_.dispatcher.busy()}}}};
    pacing::pace_store paces{deps_.pool};
    const auto states =
        co_await paces.list(platform_host(deps_.config), deadline::after(report_time_max));
    view["resolvers"] = json::array();
    for (const auto& name : platform::routed_resolvers(source_settings_of(deps_.config))) {
        const auto known = std::find_if(states.begin(), states.end(), [&](const auto& state) {
            return state.resolver == name;
        });
        if (known == states.end()) {  // Never used: there is no row yet.
            view["resolvers"].push_back(resolver_view({.resolver = name}));
            continue;
        }
        view["resolvers"].push_back(resolver_view(*known));
        view["resolvers"].back()["never_answered"] = known->has_never_answered();
    }
    view["models"] = json::array();
    for (const auto& circuit : deps_.models.circuits()) {
        view["models"].push_back(model_view(circuit));
    }
    co_return view;
}

asio::awaitable<bool> health::platform_never_answered() {
    pacing::pace_store paces{deps_.pool};
    co_return pacing::has_never_answered(
        co_await paces.list(platform_host(deps_.config), deadline::after(report_time_max)));
}

}  // namespace reelsd::app
