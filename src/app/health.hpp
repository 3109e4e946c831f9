#pragma once

#include "metrics.hpp"
#include "settings.hpp"
#include "stored_model.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/background_service.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>
#include <reelsd/work/engine/dispatcher.hpp>
#include <reelsd/work/webhooks/webhook_deliverer.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::app {

class readiness_monitor;

/// Sources of the reports. All outlive them.
struct health_dependencies {
    const settings& config;
    const metrics& registry;
    db::pool& pool;
    const analyzers_in_use& models;
    const http::server& server;
    const readiness_monitor& readiness;
    const jobs::change_poller& poller;
    const jobs::caller_lookup& callers;
    const work::dispatcher& dispatcher;
    const work::webhook_deliverer& deliverer;
    platform::session* platform_session = nullptr;  ///< Null without a session.
    const work::vector_index* vectors = nullptr;    ///< Null without a remote embedder.
    const std::vector<media::jail_layer>& jail_layers;
    log::logger log;
};

/// Reports on this daemon for Prometheus and for administrators. Thread: the loop's.
class health {
public:
    /// Records the time of the start.
    explicit health(health_dependencies dependencies);

    /// In Prometheus' text format; without the database only the values of this process.
    awaitable<std::string> metrics_text();

    /// For administrators; see dashboard::dashboard_dependencies.
    awaitable<json> view();

    /// Whether the platform was requested and has never answered this installation.
    awaitable<bool> platform_never_answered();

private:
    [[nodiscard]] awaitable<bool> is_session_enabled(deadline by);

    /// The states of resolvers that this daemon can try, and of share links. The database keeps the
    /// rows of all that were ever tried: an old cool-down or count would falsify alerts.
    [[nodiscard]] awaitable<std::vector<pacing::resolver_state>> states_in_use(deadline by);

    health_dependencies deps_;
    std::vector<std::string> resolvers_;  ///< As resolvers_in_use() at the start, like the source.
    time_point started_at_;
};

/// Whether submissions can be stored and jobs can be claimed. Checked once a second, so that a
/// flood of requests to /readyz costs the database nothing.
///
/// Each check is one statement that writes nothing: the function that stores submissions, for
/// accounts that do not exist. After a failed submission of a client, each check also inserts rows
/// and rolls them back, which notices a full disk, until that succeeds.
///
/// Thread: only the loop's. `pool` outlives this.
class readiness_monitor final : public async::background_task {
public:
    /// `claimed_at`: when the dispatcher last read the queue successfully; empty without workers.
    readiness_monitor(
        const boost::asio::any_io_executor& loop, db::pool& pool,
        std::function<std::optional<monotonic_clock::time_point>()> claimed_at, log::logger log);

    [[nodiscard]] bool is_ready() const noexcept { return !is_stopping_ && state_.has_value(); }

    /// Result of the last check; waits for the first one. Errors: database_unavailable. The detail
    /// is for clients: no SQL, no path.
    awaitable<result<void>> state();

    /// The daemon is not ready from now on.
    awaitable<bool> stop(deadline by) override;

private:
    /// Logs each change.
    awaitable<void> run() override;
    awaitable<result<void>> check();
    awaitable<void> check_submissions();
    void note(result<void> checked);

    db::pool& pool_;
    std::function<std::optional<monotonic_clock::time_point>()> claimed_at_;
    result<void> state_;
    bool has_checked_ = false;
    bool is_stopping_ = false;
    async::condition checked_;       ///< Notified after each check.
    std::string cause_;              ///< Cause of the last failed check, for the log.
    std::uint64_t submissions_ = 0;  ///< Successful ones at the last check.
    std::uint64_t faults_ = 0;       ///< Failed submissions at the last check.
    std::optional<monotonic_clock::time_point>
        faulty_at_;  ///< Reset when a submission could be stored.
};

}  // namespace reelsd::app
