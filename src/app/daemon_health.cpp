#include "daemon.hpp"
#include "host_check.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>

#include <boost/asio/co_spawn.hpp>

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

// How the daemon is, for load balancers, for Prometheus and for administrators.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// For each of the statements that metrics and the dashboard's health ask.
constexpr auto look_time_max = 1s;
/// Of those who scrape: a Prometheus or two.
constexpr std::size_t metrics_connections_max = 64;

time_point now_plus(seconds_f later) {
    const auto when = std::chrono::system_clock::now() +
                      std::chrono::duration_cast<std::chrono::system_clock::duration>(later);
    return std::chrono::time_point_cast<std::chrono::microseconds>(when);
}

json resolver_view(const pacing::standing& resolver) {
    const bool cools_down = resolver.cooldown_left.count() > 0;
    json view{
        {"name", resolver.resolver},
        {"state", cools_down ? "cooling_down" : "ready"},
        {"unknown_answers", resolver.unknown_answers}};
    if (cools_down) view["cooldown_until"] = to_rfc3339(now_plus(resolver.cooldown_left));
    if (resolver.answered_at) view["answered_at"] = to_rfc3339(*resolver.answered_at);
    return view;
}

json model_view(const model::circuit_standing& one) {
    const bool is_open = one.closed_in.count() > 0;
    json view{
        {"provider", one.provider}, {"model", one.model}, {"circuit", is_open ? "open" : "closed"}};
    if (is_open) view["asked_again_at"] = to_rfc3339(now_plus(one.closed_in));
    return view;
}

}  // namespace

asio::awaitable<result<void>> daemon::readiness() {
    if (stopping_) {
        co_return error{errc::database_unavailable, "not ready: the service is shutting down"};
    }
    co_return co_await ready_.state();
}

asio::awaitable<std::string> daemon::metrics_text() {
    metrics_reading now{
        .server = server_.counts(),
        .pool = pool_.state(),
        .queries = pool_.metrics(),
        .workers = with_.workers,
        .workers_busy = dispatcher_.busy(),
        .waiters = poller_.waiter_count(),
        .jail_layers = jail_layers_,
        .kept = callers_.kept(),
        .queue = std::nullopt,
        .resolvers = {},
        .circuits = parts_.models->circuits(),
        .embedder = std::nullopt,
        .models = {},
        .webhook_tries = deliverer_.held(),
        .deliveries = std::nullopt,
        .backlog = std::nullopt};
    if (vectors_) now.embedder.emplace(vectors_->embedder(), vectors_->is_active());
    try {
        jobs::job_store jobs{pool_};
        pacing::pace_store paces{pool_};
        const auto by = deadline::after(look_time_max);
        now.queue = co_await jobs.look_at_queue(by);
        now.resolvers = co_await paces.list(platform_host(with_), by);
        usage::call_ledger_store ledger{pool_};
        now.models = co_await ledger.totals(by);
        webhooks::delivery_store deliveries{pool_};
        now.deliveries = co_await deliveries.figures(by);
        retention::retention_store retention{pool_};
        now.backlog = co_await retention.look_at_backlog(with_.results_kept, with_.usage_kept, by);
    } catch (const db::failure& failure) {
        // Told by reelsd_database_up.
        log_.debug("metrics without the queue", {{"reason", failure.what()}});
    }
    co_return parts_.figures->text(now);
}

result<void> daemon::listen_for_metrics() {
    if (!with_.metrics_listen) return {};
    metrics_router_.check_every_request(host_check_of(with_));
    api_.add_metrics_to(metrics_router_);
    http::server_options options;
    options.address = *with_.metrics_listen;
    options.shares_address = with_.share_port;
    options.connections_max = metrics_connections_max;
    metrics_server_ = std::make_unique<http::server>(
        loop_.get_executor(), metrics_router_, log_, std::move(options));
    const auto port = metrics_server_->start();
    if (!port) return port.error();
    log_.info(
        "serving metrics", {{"address", fmt::format("{}:{}", with_.metrics_listen->host, *port)}});
    return {};
}

void daemon::stop_metrics() {
    if (!metrics_server_) return;
    bool has_stopped = false;
    asio::co_spawn(
        loop_,
        metrics_server_->stop(deadline::after(1s)),
        [&has_stopped](const std::exception_ptr& /*failure*/) { has_stopped = true; });
    while (!has_stopped) loop_.run_one();
}

asio::awaitable<json> daemon::health() {
    json view{
        {"started_at", to_rfc3339(started_at_)},
        {"analyzer", parts_.models->chosen().name()},
        {"workers", {{"configured", with_.workers}, {"busy", dispatcher_.busy()}}}};
    pacing::pace_store paces{pool_};
    const auto standings =
        co_await paces.list(platform_host(with_), deadline::after(look_time_max));
    view["resolvers"] = json::array();
    for (const auto& name : with_.resolvers) {
        pacing::standing known{.resolver = name};  // Never asked: there is no row yet.
        for (const auto& one : standings) {
            if (one.resolver == name) known = one;
        }
        view["resolvers"].push_back(resolver_view(known));
    }
    view["models"] = json::array();
    for (const auto& one : parts_.models->circuits()) view["models"].push_back(model_view(one));
    co_return view;
}

}  // namespace reelsd::app
