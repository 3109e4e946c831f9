#pragma once

#include "analyzers.hpp"
#include "database.hpp"
#include "metrics.hpp"
#include "peers.hpp"
#include "readiness_monitor.hpp"
#include "service_notice.hpp"
#include "settings.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/reporting_queue.hpp>
#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/local_embedder.hpp>
#include <reelsd/platform/source.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>
#include <reelsd/work/analysis/executor.hpp>
#include <reelsd/work/analysis/scratch.hpp>
#include <reelsd/work/analysis/shared_pacer.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>
#include <reelsd/work/engine/dispatcher.hpp>
#include <reelsd/work/webhooks/webhook_deliverer.hpp>
#include <reelsd/work/webhooks/webhook_sender.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::app {

/// Everything that `reelsd serve` is made of, in the order in which it is built; it is torn down in
/// the reverse order, after stop() has emptied it.
class daemon {
public:
    /// Brings the database up and migrates it, opens the scratch space, binds nothing yet.
    /// Blocking.
    static result<std::unique_ptr<daemon>> create(const settings& with, const log::logger& log);

    /// Listens and serves until SIGINT or SIGTERM, and tells `supervisor` so. Errors: the address
    /// cannot be listened on.
    result<void> run(const service_notice& supervisor);

private:
    struct parts {
        std::string run;  ///< What tells this start from all others.
        std::unique_ptr<metrics> figures;
        std::shared_ptr<const http::tls_identity> tls;  ///< Null: plain HTTP.
        std::unique_ptr<database> store;
        std::unique_ptr<platform::source> source;
        std::unique_ptr<model::local_embedder> embedder;
        std::unique_ptr<media::media_client> media;
        std::unique_ptr<analyzers> models;
        std::unique_ptr<work::scratch_space> scratch;
    };

    daemon(const settings& with, const log::logger& log, parts made);

    /// Serves `/metrics` on its own address, if it has one.
    result<void> listen_for_metrics();
    /// Before the loop runs.
    void stop_metrics();
    /// Takes the listener of another daemon over, or opens one. Gives the port.
    result<std::uint16_t> listen();
    /// The last of a stop: closes the pool as well.
    boost::asio::awaitable<void> part_from_peers(deadline by);
    boost::asio::awaitable<void> write_database_back(deadline by);
    boost::asio::awaitable<void> let_database_go();
    boost::asio::awaitable<void> take_database_up();
    boost::asio::awaitable<void> supervise_cluster();
    /// Stops and starts the private database, whose program has been replaced, while requests wait.
    boost::asio::awaitable<void> renew_cluster();
    boost::asio::awaitable<void> suspend_pool();
    /// Off the loop.
    boost::asio::awaitable<void> run_cluster(
        result<std::string> (db::private_cluster::*operation)(deadline));
    /// Gives memory back when many connections have gone.
    boost::asio::awaitable<void> shrink_after_crowds();
    boost::asio::awaitable<void> sweep_providers();
    /// Settles model calls whose answer was lost.
    boost::asio::awaitable<void> settle_lost_calls();
    boost::asio::awaitable<void> settle_some_lost_calls(std::int64_t& settled);
    [[nodiscard]] std::unique_ptr<work::vector_index> make_vector_index();
    [[nodiscard]] api::api_parts api_parts();
    void add_webhooks_to(api::api_parts& made);
    [[nodiscard]] work::webhook_sender_settings webhook_sender_settings() const;
    [[nodiscard]] work::webhook_deliverer_options webhook_deliverer_options();
    /// Forgets old deliveries.
    boost::asio::awaitable<void> tidy_webhooks();
    void start_retention();
    struct expiry_round;
    struct erasure_round;
    /// Removes what is older than it is kept, round after round.
    boost::asio::awaitable<void> expire(retention::kind what, seconds_f kept);
    boost::asio::awaitable<void> expire_some(expiry_round& round);
    void warn_of_clocks(std::string_view what, seconds_f gap) const;
    /// Empties all accounts that leave, by turns.
    boost::asio::awaitable<void> erase_leavers();
    boost::asio::awaitable<void> erase_some(erasure_round& round);
    boost::asio::awaitable<void> stop_leavers(erasure_round& round);
    boost::asio::awaitable<void> erase_from(account_id leaver, erasure_round& round);
    /// False: the step failed, of which the log tells. Only cancellation goes further.
    boost::asio::awaitable<bool> is_done(std::string_view what, boost::asio::awaitable<void> step);
    [[nodiscard]] work::executor_parts executor_parts();
    [[nodiscard]] std::unique_ptr<work::attempt_runner> make_attempt_runner();
    [[nodiscard]] dashboard::dashboard_parts dashboard_parts();
    [[nodiscard]] std::unique_ptr<bot::bot> make_bot();
    /// After it has been told to stop.
    boost::asio::awaitable<void> part_from_bot(deadline by);
    /// Logs which layers of the media program's jail hold, and keeps them for /metrics.
    void examine_jail();
    /// What administrators see of this daemon; see dashboard::dashboard_parts.
    boost::asio::awaitable<json> health();
    /// Logs the link that lets the first administrator in, as long as there is none.
    boost::asio::awaitable<void> offer_first_administrator();
    boost::asio::awaitable<void> keep_token_uses();
    boost::asio::awaitable<void> write_token_uses();
    /// From worker threads.
    void note_step(const jobs::claimed_job& job, std::string_view step);
    boost::asio::awaitable<void> write_steps();
    /// Reads again what an operator changes while it runs: the log's file and the certificate.
    boost::asio::awaitable<void> read_again_on_hangup();
    boost::asio::awaitable<void> renew_tls();
    /// Stops this daemon when a newer one has migrated the database and left it no room.
    boost::asio::awaitable<void> watch_schema();
    /// That the supervisor could not be told is worth a line, and no more.
    void warn_of_untold(const result<void>& told) const;
    boost::asio::awaitable<void> stop_on_signal();
    boost::asio::awaitable<bool> stop_embedding(deadline by);
    boost::asio::awaitable<void> shut_down();
    boost::asio::awaitable<result<void>> readiness();
    boost::asio::awaitable<std::string> metrics_text();

    settings with_;
    log::logger log_;
    parts parts_;
    std::string instance_;  ///< Tells this daemon from all others in the database.

    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_;
    boost::asio::signal_set hangups_;
    db::pool pool_;
    jobs::job_store job_store_;
    work::shared_pacer pacer_;
    async::offload_pool offload_;
    async::offload_pool embedding_calls_;
    async::task_group tasks_;
    work::call_recorder recorder_;
    std::unique_ptr<work::vector_index> vectors_;  ///< Null without a remote embedder.
    work::executor executor_;
    jobs::change_poller poller_;
    work::webhook_sender webhook_sender_;
    work::webhook_deliverer deliverer_;
    jobs::reporting_queue queue_;
    work::dispatcher dispatcher_;
    jobs::caller_lookup callers_;
    std::unique_ptr<bot::bot> bot_;  ///< Null without a token.
    api::api api_;
    dashboard::dashboard dashboard_;
    http::router router_;
    http::server server_;
    http::router metrics_router_;
    std::unique_ptr<http::server> metrics_server_;  ///< Null without an address of its own.
    peers peers_;
    readiness_monitor ready_;
    time_point started_at_;
    service_notice supervisor_;
    std::vector<media::jail_layer> jail_layers_;  ///< Empty until they are examined.
    std::uint16_t port_ = 0;                      ///< 0 until it listens.
    std::set<token_id> used_tokens_;              ///< Not written yet.
    std::map<job_id, jobs::step_note> steps_;     ///< Not written yet: the latest of each job.
    bool is_noting_steps_ = false;
    std::stop_source sweeping_;
    bool stopping_ = false;
    bool drained_ = true;
    bool is_outgrown_ = false;  ///< By the schema: another program is to run in its place.
};

/// A platform is paced by its host, as its own limits are.
[[nodiscard]] std::string platform_host(const settings& with);

}  // namespace reelsd::app
