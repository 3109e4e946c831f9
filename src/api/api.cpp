#include "ask.hpp"
#include "authentication.hpp"
#include "documents/documents.hpp"
#include "export.hpp"
#include "extract_presets.hpp"
#include "media.hpp"
#include "monitoring.hpp"
#include "reel_events.hpp"
#include "reel_list.hpp"
#include "reels.hpp"
#include "search.hpp"
#include "searches.hpp"
#include "submissions.hpp"
#include "subtitles.hpp"
#include "usage.hpp"
#include "webhooks.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/http/router.hpp>

#include <deque>
#include <memory>
#include <utility>

namespace reelsd::api {

struct api::state {
    authentication tokens;
    submission_service submissions;
    reels_service reels;
    /// For other authentications; a deque keeps their addresses.
    std::deque<reels_service> other_reels = {};
    reel_event_service events;
    export_service exports;
    media_service media;
    jobs::job_store jobs;
    usage::usage_store usage;
    search_service search;
    questions::answerer answer;
    searches::saved_search_store saved_searches;
    webhook_service webhooks;
    preset_list presets = {};
    readiness_check ready;
    metrics_text metrics;
    bool has_metrics_address;
};

api::api(api_dependencies dependencies)
    : state_{std::make_unique<state>(state{
          .tokens =
              {std::move(dependencies.callers),
               dependencies.requests_per_minute,
               std::move(dependencies.token_used)},
          .submissions =
              {.submission_batcher = std::move(dependencies.submission_batcher),
               .uploads = dependencies.uploads,
               .limits = dependencies.limits,
               .video_bytes_max = dependencies.video_bytes_max,
               .analysis_costs_money = dependencies.analysis_costs_money,
               .analyzers = std::move(dependencies.analyzers),
               .job_accepted = std::move(dependencies.job_accepted),
               .check_webhook_url = dependencies.check_webhook_url},
          .reels =
              {.read = {},
               .jobs = dependencies.jobs,
               .poller = dependencies.poller,
               .job_removed = std::move(dependencies.job_removed)},
          .events = {.changes = dependencies.changes, .poller = dependencies.poller},
          .exports = {.begin = std::move(dependencies.begin_export)},
          .media =
              {.media = dependencies.media, .read_object = std::move(dependencies.read_object)},
          .jobs = dependencies.jobs,
          .usage = dependencies.usage,
          .search =
              {.search = dependencies.search,
               .embedder = dependencies.embedder,
               .near_reels = std::move(dependencies.near_reels)},
          .answer = std::move(dependencies.answer),
          .saved_searches = dependencies.saved_searches,
          .webhooks =
              {.settings = dependencies.webhooks,
               .deliveries = dependencies.deliveries,
               .check_url = std::move(dependencies.check_webhook_url),
               .delivery_due = std::move(dependencies.delivery_due)},
          .ready = std::move(dependencies.ready),
          .metrics = std::move(dependencies.metrics),
          .has_metrics_address = dependencies.has_metrics_address})} {
    state_->reels.read = [&tokens = state_->tokens](http::request_context& ctx, job_id id) {
        return tokens.read_reel(ctx, id);
    };
}

api::~api() = default;

void api::add_to(http::router& router) {
    auto& tokens = state_->tokens;
    constexpr std::string_view prefix = "/api/v1";
    router.use(
        {.prefix = prefix,
         .authenticate = [&tokens](http::request_context& ctx) { return tokens.authenticate(ctx); },
         .accept = [&tokens](http::request_context& ctx) { return tokens.accept(ctx); }});
    add_reel_routes(router, prefix, state_->reels);
    add_common_resources_to(router, prefix);
    add_health_routes(router, state_->ready);
    if (!state_->has_metrics_address) add_local_metrics_routes(router, state_->metrics);
    add_document_routes(router);
}

void api::add_metrics_to(http::router& router) {
    add_metrics_routes(router, state_->metrics);
}

void api::add_resources_to(http::router& router, std::string_view prefix) {
    auto& reels = state_->other_reels.emplace_back(state_->reels);
    reels.read = authenticated_reader(state_->jobs);
    add_reel_routes(router, prefix, reels);
    add_common_resources_to(router, prefix);
}

void api::add_common_resources_to(http::router& router, std::string_view prefix) {
    add_submission_routes(router, prefix, state_->submissions);
    add_media_routes(router, prefix, state_->media);
    add_extract_preset_routes(router, prefix, state_->presets);
    add_reel_event_routes(router, prefix, state_->events);
    add_export_routes(router, prefix, state_->exports);
    add_reel_list_routes(router, prefix, state_->jobs);
    add_subtitle_routes(router, prefix, state_->jobs);
    add_usage_routes(router, prefix, state_->usage);
    add_search_routes(router, prefix, state_->search);
    add_ask_routes(router, prefix, state_->answer);
    add_saved_search_routes(router, prefix, state_->saved_searches);
    add_webhook_routes(router, prefix, state_->webhooks);
}

}  // namespace reelsd::api
