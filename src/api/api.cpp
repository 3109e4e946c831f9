#include "authentication.hpp"
#include "health.hpp"
#include "reels.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/http/router.hpp>

namespace reelsd::api {

struct api::state {
    authentication tokens;
    reels_service reels;
    health_service health;
};

api::api(api_parts parts)
    : state_{std::make_unique<state>(state{
          .tokens = {parts.accounts, parts.requests_per_minute},
          .reels =
              {.jobs = parts.jobs,
               .board = parts.board,
               .limits = parts.limits,
               .job_accepted = std::move(parts.job_accepted)},
          .health = {.ready = std::move(parts.ready)}})} {}

api::~api() = default;

void api::add_to(http::router& router) {
    auto& tokens = state_->tokens;
    router.guard(
        {.prefix = "/api/v1",
         .authenticate = [&tokens](http::request_context& ctx) { return tokens.authenticate(ctx); },
         .admit = [&tokens](http::request_context& ctx) { return tokens.admit(ctx); }});
    add_reel_routes(router, state_->reels);
    add_health_routes(router, state_->health);
}

}  // namespace reelsd::api
