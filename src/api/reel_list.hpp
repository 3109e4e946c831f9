#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

void add_reel_list_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs);

/// `?status=`: nothing when absent; `invalid_argument` unless a status of the contract. Pure.
[[nodiscard]] result<std::optional<jobs::job_status>> requested_status(
    std::optional<std::string_view> text);

/// `?author=`: nothing when absent; `invalid_argument` unless 1-100 characters. Pure.
[[nodiscard]] result<std::optional<std::string>> requested_author(
    std::optional<std::string_view> text);

enum class job_scope : std::uint8_t { all, latest_of_each_post };

/// `?latest=`: all when absent; `invalid_argument` unless `true` or `false`. Pure.
[[nodiscard]] result<job_scope> requested_scope(std::optional<std::string_view> text);

/// `?post_of=`: nothing when absent; `invalid_argument` unless an id. Pure.
[[nodiscard]] result<std::optional<job_id>> requested_post_of(std::optional<std::string_view> text);

/// Where a page ends, as clients pass it on: opaque to them, URL-safe. Pure.
[[nodiscard]] std::string cursor_of(job_id last);
/// `?cursor=`: nothing when absent; `invalid_argument` unless cursor_of() made it. Pure.
[[nodiscard]] result<std::optional<job_id>> requested_cursor(std::optional<std::string_view> text);

}  // namespace reelsd::api
