#pragma once

#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>
#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/jail_report.hpp>
#include <reelsd/model/circuit_breaker.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::app {

/// Values that other components own, read for one scrape.
struct metrics_snapshot {
    std::chrono::system_clock::time_point started_at = {};
    bool is_ready = false;  ///< As /readyz.
    http::server_counts server;
    db::pool_state pool;
    db::metrics_by_query queries;
    std::size_t workers = 0;
    std::size_t workers_busy = 0;
    std::size_t waiters = 0;
    std::vector<media::jail_layer> jail_layers = {};  ///< Empty: the daemon decodes nothing.
    jobs::cache_limits kept = {};
    /// Empty while the database does not answer.
    std::optional<jobs::queue_state> queue = {};
    std::vector<pacing::resolver_state> resolvers = {};
    /// Whether the operator's session may be used; nothing without one.
    std::optional<bool> session_enabled = {};
    std::vector<model::circuit_state> circuits = {};
    /// The remote embedder, and whether this daemon computes vectors; nothing without one.
    std::optional<std::pair<std::string, bool>> embedder = {};
    std::vector<usage::model_total> models = {};  ///< From the ledger, of all daemons.
    std::size_t webhook_tries = 0;                ///< In progress.
    /// Empty while the database does not answer.
    std::optional<webhooks::delivery_metrics> deliveries = {};
    /// Empty while the database does not answer.
    std::optional<retention::backlog> backlog = {};
    /// Empty while the database does not answer.
    std::optional<jobs::kept_media_state> media = {};
};

/// The daemon's metrics for Prometheus; no other file contains their names. Label values come from
/// closed sets (routes, statuses, error codes, configured names), so their number is bounded.
/// Thread-safe, except note_request(), which is for the loop's thread.
class metrics {
public:
    metrics();
    ~metrics();

    /// The report's route outlives this.
    void note_request(const http::request_report& report);
    /// `outcome`: "done", "retry", "snoozed", "released" or a job's error code.
    void note_attempt(std::string_view outcome, std::chrono::duration<double> took);
    /// `outcome`: "post" or the error's code.
    void note_resolution(std::string_view resolver, std::string_view outcome);
    /// `outcome`: "answered" or a failure's name.
    void note_model_request(
        std::string_view provider, std::string_view model, std::string_view outcome);

    /// `outcome`: as work::outcome_name() of a delivery's step.
    void note_webhook_try(std::string_view outcome);

    /// `what`: "results", "usage", "erased_results", "erased_usage", "erased_accounts" or
    /// "videos".
    void note_removed(std::string_view what, std::int64_t rows);
    /// Records the end of a round through all expired rows. `what`: "results" or "usage".
    void note_expiry_round(std::string_view what);

    /// All metrics in Prometheus' text format 0.0.4.
    [[nodiscard]] std::string text(const metrics_snapshot& now) const;

private:
    struct families;
    std::unique_ptr<families> families_;
};

}  // namespace reelsd::app
