#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <optional>
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

/// `?size=`: the large one when absent; `invalid_argument` unless small or large. Pure.
[[nodiscard]] result<jobs::thumbnail_size> requested_size(std::optional<std::string_view> text);

}  // namespace reelsd::api
