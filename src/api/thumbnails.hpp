#pragma once

#include <reelsd/domain/jobs/job_store.hpp>

#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct thumbnail_service {
    jobs::job_store jobs;
};

void add_thumbnail_routes(
    http::router& router, std::string_view prefix, thumbnail_service& service);

}  // namespace reelsd::api
