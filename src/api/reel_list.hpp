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

/// Reads `?status=`: empty when absent. Errors: invalid_argument unless it is a status. Pure.
[[nodiscard]] result<std::optional<jobs::job_status>> requested_status(
    std::optional<std::string_view> text);

/// Reads `?author=`: empty when absent. Errors: invalid_argument unless 1-100 characters. Pure.
[[nodiscard]] result<std::optional<std::string>> requested_author(
    std::optional<std::string_view> text);

enum class job_scope : std::uint8_t { all, latest_of_each_post };

/// Reads `?latest=`: all when absent. Errors: invalid_argument unless true or false. Pure.
[[nodiscard]] result<job_scope> requested_scope(std::optional<std::string_view> text);

/// Reads `?post_of=`: empty when absent. Errors: invalid_argument unless it is an id. Pure.
[[nodiscard]] result<std::optional<job_id>> requested_post_of(std::optional<std::string_view> text);

/// Returns the cursor after a page: opaque to clients, URL-safe. Pure.
[[nodiscard]] std::string cursor_of(job_id last);
/// Reads `?cursor=`: empty when absent. Errors: invalid_argument unless cursor_of() returned it.
/// Pure.
[[nodiscard]] result<std::optional<job_id>> requested_cursor(std::optional<std::string_view> text);

}  // namespace reelsd::api
