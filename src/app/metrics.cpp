#include "metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace reelsd::app {
namespace {

using counters = prometheus::Family<prometheus::Counter>;
using gauges = prometheus::Family<prometheus::Gauge>;
using histograms = prometheus::Family<prometheus::Histogram>;

/// From a cached read to a long poll's full wait.
const prometheus::Histogram::BucketBoundaries request_seconds{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
/// From a copied result to a model that takes its time.
const prometheus::Histogram::BucketBoundaries attempt_seconds{
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600};

counters& counter(prometheus::Registry& in, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(in);
}

histograms& histogram(prometheus::Registry& in, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(in);
}

void set(
    prometheus::Registry& in, const char* name, const char* help, double value,
    const prometheus::Labels& labels = {}) {
    prometheus::BuildGauge().Name(name).Help(help).Register(in).Add(labels).Set(value);
}

/// Totals that another part counts: they only grow, so they are counters here too.
void total(
    prometheus::Registry& in, const char* name, const char* help, double value,
    const prometheus::Labels& labels = {}) {
    counter(in, name, help).Add(labels).Increment(value);
}

template <class Number>
double real(Number number) {
    return static_cast<double>(number);
}

void add_server(prometheus::Registry& in, const http::server_counts& server) {
    set(in, "reelsd_http_connections", "Open connections.", real(server.connections_open));
    set(in,
        "reelsd_http_requests_running",
        "Requests being answered.",
        real(server.requests_running));
    total(
        in,
        "reelsd_http_connections_accepted_total",
        "Connections accepted.",
        real(server.connections_accepted));
    total(
        in,
        "reelsd_http_connections_refused_total",
        "Connections turned away because too many were open.",
        real(server.connections_refused));
}

void add_kept_reels(prometheus::Registry& in, const jobs::cache_limits& kept) {
    set(in,
        "reelsd_kept_reels_bytes",
        "Memory for reels that were read and are kept, estimated.",
        real(kept.taken));
    set(in, "reelsd_kept_reels_bytes_max", "The most that it may become.", real(kept.most));
}

void add_database(prometheus::Registry& in, const metrics_snapshot& now) {
    set(in, "reelsd_database_up", "1 while the database answers.", now.queue ? 1 : 0);
    set(in, "reelsd_database_connections", "Connections ready.", real(now.pool.connections));
    set(in, "reelsd_database_in_flight", "Statements not yet answered.", real(now.pool.in_flight));
    set(in,
        "reelsd_database_waiting",
        "Statements that wait for a connection.",
        real(now.pool.waiting));
    for (const auto& [name, query] : now.queries) {
        const prometheus::Labels labels{{"query", name}};
        total(
            in,
            "reelsd_database_round_trips_total",
            "Statements answered, by query.",
            real(query.count),
            labels);
        total(
            in,
            "reelsd_database_errors_total",
            "Statements that failed, by query.",
            real(query.errors),
            labels);
        total(
            in,
            "reelsd_database_seconds_total",
            "Time that statements took, waiting included, by query.",
            query.seconds,
            labels);
    }
}

void add_queue(prometheus::Registry& in, const metrics_snapshot& now) {
    set(in, "reelsd_workers", "Worker threads.", real(now.workers));
    set(in, "reelsd_workers_busy", "Worker threads with a job.", real(now.workers_busy));
    set(in, "reelsd_waiters", "Requests that wait for a job to end.", real(now.waiters));
    for (const auto& layer : now.jail_layers) {
        set(in,
            "reelsd_jail_layer",
            "1 for each layer of the media program's jail that holds, 0 for those that do not.",
            layer.holds ? 1 : 0,
            {{"layer", layer.name}});
    }
    if (!now.queue) return;
    constexpr auto* jobs_help = "Jobs that have not ended, by status, of all daemons.";
    set(in, "reelsd_jobs", jobs_help, real(now.queue->pending), {{"status", "pending"}});
    set(in, "reelsd_jobs", jobs_help, real(now.queue->processing), {{"status", "processing"}});
    set(in, "reelsd_queue_due", "Jobs that wait for a worker.", real(now.queue->due));
    set(in,
        "reelsd_queue_oldest_seconds",
        "For how long the job that is due longest has been waiting.",
        now.queue->oldest_due.count());
}

void add_resolvers(prometheus::Registry& in, const std::vector<pacing::resolver_state>& resolvers) {
    for (const auto& one : resolvers) {
        const prometheus::Labels labels{{"resolver", one.resolver}};
        set(in,
            "reelsd_resolver_cooldown_seconds",
            "For how long the platform is not asked by this resolver, because it wished so.",
            one.cooldown_left.count(),
            labels);
        set(in,
            "reelsd_resolver_unknown_answers",
            "Answers of unknown shape since this resolver last worked.",
            real(one.unknown_answers),
            labels);
    }
}

void add_circuits(prometheus::Registry& in, const std::vector<model::circuit_state>& circuits) {
    for (const auto& one : circuits) {
        set(in,
            "reelsd_model_circuit_open_seconds",
            "For how long this daemon does not ask a model that did not answer; 0: it asks.",
            one.open_for.count(),
            {{"provider", one.provider}, {"model", one.model}});
    }
}

void add_embedder(prometheus::Registry& in, const std::pair<std::string, bool>& embedder) {
    set(in,
        "reelsd_embedder_active",
        "1: this daemon makes vectors; 0: another embedder is in force, or its answers are of no "
        "use.",
        embedder.second ? 1.0 : 0.0,
        {{"embedder", embedder.first}});
}

void add_models(prometheus::Registry& in, const std::vector<usage::model_total>& models) {
    for (const auto& one : models) {
        const prometheus::Labels labels{{"model", one.model}, {"provider", one.provider}};
        total(
            in,
            "reelsd_model_calls_total",
            "Calls of models, of all daemons.",
            real(one.calls),
            labels);
        total(
            in,
            "reelsd_model_unpriced_calls_total",
            "Of these, the ones whose cost is not known.",
            real(one.unpriced_calls),
            labels);
        const auto add_tokens = [&](const char* kind, std::int64_t tokens) {
            auto of_kind = labels;
            of_kind["kind"] = kind;
            total(
                in,
                "reelsd_model_tokens_total",
                "Tokens used; cached ones are part of the prompt, thinking ones of the output.",
                real(tokens),
                of_kind);
        };
        add_tokens("prompt", one.prompt_tokens);
        add_tokens("cached_prompt", one.cached_prompt_tokens);
        add_tokens("output", one.output_tokens);
        add_tokens("thinking", one.thinking_tokens);
    }
}

void add_webhooks(prometheus::Registry& in, const metrics_snapshot& now) {
    set(in,
        "reelsd_webhook_tries_running",
        "Webhooks that are being delivered.",
        real(now.webhook_tries));
    if (!now.deliveries) return;
    set(in,
        "reelsd_webhook_deliveries_pending",
        "Webhooks that are not delivered yet, of all daemons.",
        real(now.deliveries->pending));
    set(in,
        "reelsd_webhook_deliveries_due",
        "Of these, the ones that could be tried now.",
        real(now.deliveries->due));
}

void add_retention(prometheus::Registry& in, const retention::backlog& now) {
    const auto add = [&in](const char* what, const std::optional<seconds_f>& overdue) {
        set(in,
            "reelsd_expiry_overdue_seconds",
            "For how long the oldest has been older than it is kept; 0: nothing is.",
            overdue.value_or(seconds_f{0.0}).count(),
            {{"what", what}});
    };
    add("results", now.results_overdue);
    add("usage", now.usage_overdue);
    set(in,
        "reelsd_accounts_leaving",
        "Accounts that are being erased.",
        real(now.leaving_accounts));
}

/// As a label's value is written.
std::string label_text(std::string_view text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') made.push_back('\\');
        made.push_back(c == '\n' ? ' ' : c);
    }
    return made + '"';
}

/// The library counts in binary floating point; money is written digit by digit as the ledger has
/// it.
std::string cost_text(const std::vector<usage::model_total>& models) {
    if (models.empty()) return {};
    std::string text =
        "# HELP reelsd_model_cost_usd_total What models have cost as far as it is known, in US "
        "dollars, exactly.\n# TYPE reelsd_model_cost_usd_total counter\n";
    for (const auto& one : models) {
        text += "reelsd_model_cost_usd_total{model=" + label_text(one.model) +
                ",provider=" + label_text(one.provider) + "} " + one.cost_usd + '\n';
    }
    return text;
}

}  // namespace

struct metrics::families {
    /// What one kind of exchange is counted in. Found by labels it costs as much as the whole
    /// parsing of a request.
    struct request_series {
        prometheus::Counter* requests;
        prometheus::Histogram* time;
    };
    /// Method, route (of the router, which outlives all calls) and status.
    using request_kind = std::tuple<http::verb, std::string_view, http::status>;

    const request_series& series_of(const http::request_report& report);

    prometheus::Registry registry;
    counters& requests{counter(
        registry, "reelsd_http_requests_total", "Requests answered, by method, route and status.")};
    histograms& request_time{histogram(
        registry, "reelsd_http_request_seconds",
        "From the whole request read to the answer written, by route.")};
    counters& response_bytes{
        counter(registry, "reelsd_http_response_bytes_total", "Bytes of bodies sent.")};
    counters& attempts{
        counter(registry, "reelsd_job_attempts_total", "Attempts at jobs that ended, by outcome.")};
    histograms& attempt_time{
        histogram(registry, "reelsd_job_attempt_seconds", "How long attempts took.")};
    counters& resolutions{counter(
        registry, "reelsd_resolutions_total", "Links asked of a resolver, by its outcome.")};
    counters& model_requests{counter(
        registry, "reelsd_model_requests_total",
        "Requests to models, by how they ended; most of those that failed are not billed.")};
    counters& webhook_tries{
        counter(registry, "reelsd_webhook_tries_total", "Tries at webhooks, by outcome.")};
    counters& removed_rows{counter(
        registry, "reelsd_removed_total",
        "What this daemon has removed because it expired or its account left.")};
    gauges& expiry_rounds{
        prometheus::BuildGauge()
            .Name("reelsd_expiry_round_timestamp_seconds")
            .Help("When this daemon last came to the end of all that had expired, in Unix time.")
            .Register(registry)};
    prometheus::Counter& all_response_bytes{response_bytes.Add({})};
    std::map<request_kind, request_series> exchanges{};
};

const metrics::families::request_series& metrics::families::series_of(
    const http::request_report& report) {
    // A path that nobody serves is told by its status alone: clients could invent no end of them.
    const std::string_view route = report.route.empty() ? "none" : report.route;
    const request_kind kind{report.method, route, report.code};
    const auto known = exchanges.find(kind);
    if (known != exchanges.end()) return known->second;
    auto& requested = requests.Add(
        {{"method", std::string{name_of(report.method)}},
         {"route", std::string{route}},
         {"status", std::to_string(number_of(report.code))}});
    auto& time = request_time.Add({{"route", std::string{route}}}, request_seconds);
    return exchanges.emplace(kind, request_series{&requested, &time}).first->second;
}

metrics::metrics() : families_{std::make_unique<families>()} {}
metrics::~metrics() = default;

void metrics::note_request(const http::request_report& report) {
    const auto& series = families_->series_of(report);
    series.requests->Increment();
    series.time->Observe(std::chrono::duration<double>(report.took).count());
    families_->all_response_bytes.Increment(real(report.bytes));
}

void metrics::note_attempt(std::string_view outcome, std::chrono::duration<double> took) {
    families_->attempts.Add({{"outcome", std::string{outcome}}}).Increment();
    families_->attempt_time.Add({}, attempt_seconds).Observe(took.count());
}

void metrics::note_resolution(std::string_view resolver, std::string_view outcome) {
    families_->resolutions
        .Add({{"resolver", std::string{resolver}}, {"outcome", std::string{outcome}}})
        .Increment();
}

void metrics::note_model_request(
    std::string_view provider, std::string_view model, std::string_view outcome) {
    families_->model_requests
        .Add(
            {{"provider", std::string{provider}},
             {"model", std::string{model}},
             {"outcome", std::string{outcome}}})
        .Increment();
}

void metrics::note_webhook_try(std::string_view outcome) {
    families_->webhook_tries.Add({{"outcome", std::string{outcome}}}).Increment();
}

void metrics::note_removed(std::string_view what, std::int64_t rows) {
    families_->removed_rows.Add({{"what", std::string{what}}}).Increment(real(rows));
}

void metrics::note_expiry_round(std::string_view what) {
    families_->expiry_rounds.Add({{"what", std::string{what}}}).SetToCurrentTime();
}

std::string metrics::text(const metrics_snapshot& now) const {
    // What is only read now goes into a registry of its own, or it would be added up.
    prometheus::Registry read;
    set(read, "reelsd_build_info", "The program that runs.", 1, {{"version", REELSD_VERSION}});
    add_server(read, now.server);
    add_database(read, now);
    add_queue(read, now);
    add_kept_reels(read, now.kept);
    add_resolvers(read, now.resolvers);
    if (now.session_enabled)
        set(read,
            "reelsd_session_enabled",
            "1: the operator's session may be used; 0: the platform has refused it, or its file "
            "cannot "
            "be used.",
            *now.session_enabled ? 1 : 0);
    add_circuits(read, now.circuits);
    if (now.embedder) add_embedder(read, *now.embedder);
    add_models(read, now.models);
    add_webhooks(read, now);
    if (now.backlog) add_retention(read, *now.backlog);
    auto all = families_->registry.Collect();
    auto more = read.Collect();
    all.insert(
        all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return prometheus::TextSerializer{}.Serialize(all) + cost_text(now.models);
}

}  // namespace reelsd::app
