#include "metrics.hpp"

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <tuple>

namespace reelsd::app {
namespace {

using counters = prometheus::Family<prometheus::Counter>;
using gauges = prometheus::Family<prometheus::Gauge>;
using histograms = prometheus::Family<prometheus::Histogram>;

/// Bounds: a cached read, and the full wait of a long poll.
const prometheus::Histogram::BucketBoundaries request_seconds{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
/// Bounds: a copied result, and a slow model.
const prometheus::Histogram::BucketBoundaries attempt_seconds{
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600};

counters& counter(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

histograms& histogram(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

template <class Number>
double real(Number number) {
    return static_cast<double>(number);
}

class snapshot_registry {
public:
    explicit snapshot_registry(const metrics_snapshot& now) {
        gauge("reelsd_build_info", "The running program.", 1, {{"version", REELSD_VERSION}});
        gauge(
            "reelsd_start_time_seconds",
            "When this daemon started, in Unix time.",
            seconds_f{now.started_at.time_since_epoch()}.count());
        add_server(now.server);
        add_database(now);
        add_queue(now);
        add_cache(now.kept);
        add_platform(now);
        add_models(now);
        add_webhooks(now);
        if (now.backlog) add_retention(*now.backlog);
        if (now.media) add_media(*now.media);
    }

    [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const {
        return registry_.Collect();
    }

private:
    template <class Number>
    void gauge(
        const char* name, const char* help, Number value, const prometheus::Labels& labels = {}) {
        prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels).Set(
            real(value));
    }

    /// Totals that another component counts. They only grow.
    template <class Number>
    void total(
        const char* name, const char* help, Number value, const prometheus::Labels& labels = {}) {
        counter(registry_, name, help).Add(labels).Increment(real(value));
    }

    void add_server(const http::server_counts& server) {
        gauge("reelsd_http_connections", "Open connections.", server.connections_open);
        gauge("reelsd_http_requests_running", "Requests in progress.", server.requests_running);
        total(
            "reelsd_http_connections_accepted_total",
            "Connections accepted.",
            server.connections_accepted);
        total(
            "reelsd_http_connections_refused_total",
            "Connections refused because too many were open.",
            server.connections_refused);
    }

    void add_cache(const jobs::cache_limits& cache) {
        gauge("reelsd_kept_reels_bytes", "Estimated memory of the cache of reels.", cache.taken);
        gauge("reelsd_kept_reels_bytes_max", "Upper bound on that memory.", cache.most);
    }

    void add_database(const metrics_snapshot& now) {
        const auto& pool = now.pool;
        gauge("reelsd_database_up", "1 while the database answers.", now.queue ? 1 : 0);
        gauge("reelsd_ready", "1 while /readyz answers with 200.", now.is_ready ? 1 : 0);
        gauge("reelsd_database_connections", "Connections ready.", pool.connections);
        gauge("reelsd_database_in_flight", "Statements not yet answered.", pool.in_flight);
        gauge("reelsd_database_waiting", "Statements that wait for a connection.", pool.waiting);
        for (const auto& [name, query] : now.queries) {
            const prometheus::Labels labels{{"query", name}};
            total(
                "reelsd_database_round_trips_total",
                "Statements answered, by query.",
                query.count,
                labels);
            total(
                "reelsd_database_errors_total",
                "Statements that failed, by query.",
                query.errors,
                labels);
            total(
                "reelsd_database_seconds_total",
                "Time that statements took, waiting included, by query.",
                query.seconds,
                labels);
        }
    }

    void add_queue(const metrics_snapshot& now) {
        gauge("reelsd_workers", "Worker threads.", now.workers);
        gauge("reelsd_workers_busy", "Worker threads with a job.", now.workers_busy);
        gauge("reelsd_waiters", "Requests that wait for a job to end.", now.waiters);
        for (const auto& layer : now.jail_layers) {
            gauge(
                "reelsd_jail_layer",
                "1 for each active layer of the media program's jail, 0 for each missing one.",
                layer.holds ? 1 : 0,
                {{"layer", layer.name}});
        }
        if (!now.queue) return;
        const auto& queue = *now.queue;
        constexpr auto* jobs_help = "Jobs that have not ended, by status, of all daemons.";
        gauge("reelsd_jobs", jobs_help, queue.pending, {{"status", "pending"}});
        gauge("reelsd_jobs", jobs_help, queue.processing, {{"status", "processing"}});
        gauge("reelsd_queue_due", "Jobs that wait for a worker.", queue.due);
        gauge(
            "reelsd_queue_oldest_seconds",
            "How long the oldest due job has been waiting.",
            queue.oldest_due.count());
    }

    void add_platform(const metrics_snapshot& now) {
        for (const auto& state : now.resolvers) {
            const prometheus::Labels labels{{"resolver", state.resolver}};
            gauge(
                "reelsd_resolver_cooldown_seconds",
                "Remaining pause of a resolver that the platform has rate-limited.",
                state.cooldown_left.count(),
                labels);
            gauge(
                "reelsd_resolver_unknown_answers",
                "Responses of unknown format since this resolver last succeeded.",
                state.unknown_answers,
                labels);
        }
        if (!now.session_enabled) return;
        gauge(
            "reelsd_session_enabled",
            "1: the operator's session may be used; 0: the platform has refused it, or its file "
            "cannot be used.",
            *now.session_enabled ? 1 : 0);
    }

    void add_models(const metrics_snapshot& now) {
        for (const auto& circuit : now.circuits) {
            gauge(
                "reelsd_model_circuit_open_seconds",
                "How long this daemon sends no requests to a model that did not answer; 0: it "
                "does.",
                circuit.open_for.count(),
                {{"provider", circuit.provider}, {"model", circuit.model}});
        }
        if (now.embedder) {
            gauge(
                "reelsd_embedder_active",
                "1: this daemon computes vectors; 0: another embedder is active, or its answers "
                "are unusable.",
                now.embedder->second ? 1 : 0,
                {{"embedder", now.embedder->first}});
        }
        for (const auto& model : now.models) add_ledger(model);
    }

    void add_ledger(const usage::model_total& model) {
        const prometheus::Labels labels{{"model", model.model}, {"provider", model.provider}};
        total("reelsd_model_calls_total", "Calls of models, of all daemons.", model.calls, labels);
        total(
            "reelsd_model_unpriced_calls_total",
            "Model calls of unknown cost.",
            model.unpriced_calls,
            labels);
        const auto add_tokens = [&](const char* kind, std::int64_t tokens) {
            auto of_kind = labels;
            of_kind["kind"] = kind;
            total(
                "reelsd_model_tokens_total",
                "Tokens used; cached ones are part of the prompt, thinking ones of the output.",
                tokens,
                of_kind);
        };
        add_tokens("prompt", model.prompt_tokens);
        add_tokens("cached_prompt", model.cached_prompt_tokens);
        add_tokens("output", model.output_tokens);
        add_tokens("thinking", model.thinking_tokens);
    }

    void add_webhooks(const metrics_snapshot& now) {
        gauge("reelsd_webhook_tries_running", "Webhook deliveries in progress.", now.webhook_tries);
        if (!now.deliveries) return;
        gauge(
            "reelsd_webhook_deliveries_pending",
            "Webhooks that are not delivered yet, of all daemons.",
            now.deliveries->pending);
        gauge(
            "reelsd_webhook_deliveries_due",
            "Pending webhooks that may be tried now.",
            now.deliveries->due);
    }

    void add_retention(const retention::backlog& backlog) {
        const auto add = [this](const char* what, const std::optional<seconds_f>& overdue) {
            gauge(
                "reelsd_expiry_overdue_seconds",
                "How long the oldest expired row has been overdue for removal; 0 if none is.",
                overdue.value_or(seconds_f{0.0}).count(),
                {{"what", what}});
        };
        add("results", backlog.results_overdue);
        add("usage", backlog.usage_overdue);
        gauge(
            "reelsd_accounts_leaving", "Accounts that are being erased.", backlog.leaving_accounts);
    }

    void add_media(const jobs::kept_media_state& media) {
        gauge("reelsd_kept_videos", "Videos that are kept.", media.videos);
        gauge("reelsd_kept_videos_bytes", "Size of the videos that are kept.", media.video_bytes);
        gauge(
            "reelsd_media_objects_unwanted",
            "Objects of the media store that wait for their deletion.",
            media.unwanted_objects);
    }

    prometheus::Registry registry_;
};

/// A label's value in Prometheus' text format.
std::string label_text(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted.push_back('\\');
        quoted.push_back(c == '\n' ? ' ' : c);
    }
    return quoted + '"';
}

/// Written separately, because the library counts in binary floating point and money is decimal.
using model_text = std::string usage::model_total::*;
std::string decimal_text(
    const std::vector<usage::model_total>& models, const std::string& name, const std::string& help,
    model_text value) {
    if (models.empty()) return {};
    auto text = "# HELP " + name + ' ' + help + "\n# TYPE " + name + " counter\n";
    for (const auto& model : models) {
        text += name + "{model=" + label_text(model.model) +
                ",provider=" + label_text(model.provider) + "} " + model.*value + '\n';
    }
    return text;
}

std::string ledger_text(const std::vector<usage::model_total>& models) {
    return decimal_text(
               models,
               "reelsd_model_cost_usd_total",
               "Known costs of models in US dollars, exact.",
               &usage::model_total::cost_usd) +
           decimal_text(
               models,
               "reelsd_model_audio_seconds_total",
               "Sound transcribed by speech servers.",
               &usage::model_total::audio_seconds);
}

}  // namespace

struct metrics::families {
    /// The metrics of one kind of request. Finding them by labels would cost as much as parsing a
    /// request.
    struct request_series {
        prometheus::Counter* requests;
        prometheus::Histogram* time;
    };
    /// Method, route (of the router, which outlives all calls) and status.
    using request_kind = std::tuple<http::verb, std::string_view, http::status>;

    const request_series& series_of(const http::request_report& report);
    prometheus::Counter& model_requests_of(
        std::string_view provider, std::string_view model, std::string_view outcome) {
        return model_requests.Add(
            {{"provider", std::string{provider}},
             {"model", std::string{model}},
             {"outcome", std::string{outcome}}});
    }

    prometheus::Registry registry;
    counters& requests{counter(
        registry, "reelsd_http_requests_total", "Requests answered, by method, route and status.")};
    histograms& request_time{histogram(
        registry, "reelsd_http_request_seconds",
        "Time from the request read to the response written, by route.")};
    counters& response_bytes{
        counter(registry, "reelsd_http_response_bytes_total", "Bytes of bodies sent.")};
    counters& attempts{
        counter(registry, "reelsd_job_attempts_total", "Attempts at jobs that ended, by outcome.")};
    histograms& attempt_time{
        histogram(registry, "reelsd_job_attempt_seconds", "Duration of attempts.")};
    counters& resolutions{
        counter(registry, "reelsd_resolutions_total", "Look-ups by a resolver, by outcome.")};
    counters& model_requests{counter(
        registry, "reelsd_model_requests_total",
        "Requests to models, by outcome; most failed ones are not billed.")};
    counters& webhook_tries{
        counter(registry, "reelsd_webhook_tries_total", "Webhook deliveries tried, by outcome.")};
    counters& removed_rows{counter(
        registry, "reelsd_removed_total",
        "Rows that this daemon removed because they expired or their account was erased.")};
    gauges& expiry_rounds{
        prometheus::BuildGauge()
            .Name("reelsd_expiry_round_timestamp_seconds")
            .Help("When this daemon last finished removing all expired rows, in Unix time.")
            .Register(registry)};
    prometheus::Counter& all_response_bytes{response_bytes.Add({})};
    std::map<request_kind, request_series> exchanges{};
};

const metrics::families::request_series& metrics::families::series_of(
    const http::request_report& report) {
    // Unknown paths are counted together: clients could invent any number of them.
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

metrics::metrics() : families_{std::make_unique<families>()} {
    // Prometheus computes no increase for a series that begins with its first event.
    const auto add = [](counters& family, std::string_view outcome) {
        family.Add({{"outcome", std::string{outcome}}});
    };
    for (const auto* const outcome : {"done", "retry", "snoozed", "released", "lost"}) {
        add(families_->attempts, outcome);
    }
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<jobs::job_error_code>>(
        [&](auto code) { add(families_->attempts, code.name); });
    for (const auto* const outcome : {"delivered", "snoozed", "abandoned", "released"}) {
        add(families_->webhook_tries, outcome);
    }
}
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
    families_->model_requests_of(provider, model, outcome).Increment();
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
    // As in the constructor, for the models in use.
    for (const auto& circuit : now.circuits) {
        for (const auto* const outcome : {"unauthorized", "misconfigured", "quota_exhausted"}) {
            families_->model_requests_of(circuit.provider, circuit.model, outcome);
        }
    }
    auto all = families_->registry.Collect();
    auto read = snapshot_registry{now}.collect();
    all.insert(
        all.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
    return prometheus::TextSerializer{}.Serialize(all) + ledger_text(now.models);
}

}  // namespace reelsd::app
