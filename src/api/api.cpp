#include "authentication.hpp"
#include "documents/documents.hpp"
#include "export.hpp"
#include "monitoring.hpp"
#include "reel_events.hpp"
#include "reel_list.hpp"
#include "reels.hpp"
#include "search.hpp"
#include "submissions.hpp"
#include "subtitles.hpp"
#include "thumbnails.hpp"
#include "usage.hpp"
#include "webhooks.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/http/router.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace reelsd::api {

struct api::state {
    authentication tokens;
    submission_service submissions;
    /// One for each gate. They stay where they are while more come.
    std::deque<submission_service> submissions_by_gate = {};
    jobs::job_store jobs;
    jobs::completion_board& board;
    std::function<void(job_id)> job_removed;
    /// As `submissions_by_gate`.
    std::deque<reels_service> reels = {};
    jobs::change_store changes;
    jobs::job_watch& watch;
    /// As `submissions_by_gate`.
    std::deque<reel_event_service> events = {};
    std::shared_ptr<std::map<account_id, int>> event_streams =
        std::make_shared<std::map<account_id, int>>();
    std::function<exports::account_export(account_id)> begin_export;
    /// As `submissions_by_gate`.
    std::deque<export_service> exports = {};
    std::shared_ptr<std::set<account_id>> exports_under_way =
        std::make_shared<std::set<account_id>>();
    reel_list_service list;
    thumbnail_service thumbnails;
    subtitle_service subtitles;
    usage_service usage;
    search_service search;
    webhook_service webhooks;
    monitoring_service monitoring;
    bool has_metrics_address;
};

api::api(api_parts parts)
    : state_{std::make_unique<state>(state{
          .tokens =
              {std::move(parts.callers), parts.requests_per_minute, std::move(parts.token_used)},
          .submissions =
              {.reels_path = {},
               .desk = std::move(parts.desk),
               .analysis_costs_money = parts.analysis_costs_money,
               .job_accepted = std::move(parts.job_accepted),
               .check_webhook_url = parts.check_webhook_url},
          .jobs = parts.jobs,
          .board = parts.board,
          .job_removed = std::move(parts.job_removed),
          .changes = parts.changes,
          .watch = parts.watch,
          .begin_export = std::move(parts.begin_export),
          .list = {.jobs = parts.jobs},
          .thumbnails = {.jobs = parts.jobs},
          .subtitles = {.jobs = parts.jobs},
          .usage = {.usage = parts.usage},
          .search =
              {.search = parts.search,
               .embedder = parts.embedder,
               .near_reels = std::move(parts.near_reels)},
          .webhooks =
              {.settings = parts.webhooks,
               .deliveries = parts.deliveries,
               .check_url = std::move(parts.check_webhook_url),
               .delivery_due = std::move(parts.delivery_due)},
          .monitoring = {.ready = std::move(parts.ready), .metrics = std::move(parts.metrics)},
          .has_metrics_address = parts.has_metrics_address})} {}

api::~api() = default;

void api::add_to(http::router& router) {
    auto& tokens = state_->tokens;
    const auto recognise = [&tokens](http::request_context& ctx) {
        return tokens.authenticate(ctx);
    };
    router.guard(
        {.prefix = "/api/v1",
         .authenticate = recognise,
         .admit = [&tokens](http::request_context& ctx) { return tokens.admit(ctx); }});
    add_resources_to(router, "/api/v1", recognise, [&tokens](http::request_context& ctx) {
        return tokens.authenticate_and_load(ctx);
    });
    add_health_routes(router, state_->monitoring);
    if (!state_->has_metrics_address) add_local_metrics_routes(router, state_->monitoring);
    add_document_routes(router);
}

void api::add_metrics_to(http::router& router) {
    add_metrics_routes(router, state_->monitoring);
}

void api::add_resources_to(
    http::router& router, std::string_view prefix, http::gate::check recognise,
    http::gate::check load) {
    auto& submissions = state_->submissions_by_gate.emplace_back(state_->submissions);
    submissions.reels_path = std::string{prefix}.append("/reels");
    auto& events = state_->events.emplace_back(reel_event_service{
        .changes = state_->changes,
        .watch = state_->watch,
        .recognise = recognise,
        .open = state_->event_streams});
    auto& reels = state_->reels.emplace_back(reels_service{
        .jobs = state_->jobs,
        .board = state_->board,
        .recognise = recognise,
        .job_removed = state_->job_removed,
        .load = std::move(load)});
    auto& exports = state_->exports.emplace_back(export_service{
        .begin = state_->begin_export,
        .recognise = std::move(recognise),
        .under_way = state_->exports_under_way});
    add_submission_routes(router, prefix, submissions);
    add_reel_routes(router, prefix, reels);
    add_reel_event_routes(router, prefix, events);
    add_export_routes(router, prefix, exports);
    add_reel_list_routes(router, prefix, state_->list);
    add_thumbnail_routes(router, prefix, state_->thumbnails);
    add_subtitle_routes(router, prefix, state_->subtitles);
    add_usage_routes(router, prefix, state_->usage);
    add_search_routes(router, prefix, state_->search);
    add_webhook_routes(router, prefix, state_->webhooks);
}

}  // namespace reelsd::api
