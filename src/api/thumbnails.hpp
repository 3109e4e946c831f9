#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <optional>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

void add_thumbnail_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs);

/// `?size=`: the large one when absent; `invalid_argument` unless small or large. Pure.
[[nodiscard]] result<jobs::thumbnail_size> requested_size(std::optional<std::string_view> text);

}  // namespace reelsd::api
