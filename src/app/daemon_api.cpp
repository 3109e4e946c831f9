#include "daemon.hpp"

#include <string>
#include <utility>

// What the daemon gives its API to work with.
namespace reelsd::app {

api::api_parts daemon::api_parts() {
    const jobs::default_limits limits{
        .submissions_per_minute = with_.submissions_per_minute,
        .concurrent_jobs = with_.concurrent_jobs};
    api::api_parts made{
        .callers = callers_,
        .desk = jobs::admission_desk{loop_.get_executor(), tasks_, jobs::job_store{pool_}, limits},
        .jobs = jobs::job_store{pool_},
        .usage = usage::usage_store{pool_},
        .search = jobs::reel_search{pool_},
        .webhooks = webhooks::webhook_store{pool_},
        .deliveries = webhooks::delivery_store{pool_},
        .begin_export =
            [this](account_id account) {
                return exports::account_export{pool_, account};
            },
        .embedder = *parts_.embedder,
        .near_reels = {},
        .changes = jobs::change_store{pool_},
        .poller = poller_,
        .analysis_costs_money = !parts_.models->remote().empty(),
        .requests_per_minute = with_.requests_per_minute,
        .token_used = [this](token_id token) { used_tokens_.insert(token); },
        .job_accepted = [this] { dispatcher_.wake(); },
        .check_webhook_url = {},
        .delivery_due = {},
        .job_removed =
            [this](job_id job) {
                dispatcher_.cancel(job);
                deliverer_.cancel(job);
            },
        .ready = [this] { return readiness(); },
        .metrics = [this] { return metrics_text(); },
        .has_metrics_address = with_.metrics_listen.has_value()};
    add_webhooks_to(made);
    if (vectors_) {
        made.near_reels = [this](account_id caller, std::string query) {
            return vectors_->near(caller, std::move(query));
        };
    }
    return made;
}

}  // namespace reelsd::app
