#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/operations_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string_view>
#include <vector>

namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// What the handlers of this resource use. Outlives the router.
struct operations_service {
    jobs::job_store jobs;
    jobs::operations_store operations;
    std::function<boost::asio::awaitable<json>()> health;  ///< See dashboard_dependencies.
    std::function<boost::asio::awaitable<bool>()> platform_never_answered;
    std::function<void()> jobs_submitted;
    log::logger log;
};

/// `/platform` is for every account. The rest is below the prefix of administrators, whose
/// authentication refuses other accounts.
void add_operations_routes(
    http::router& router, std::string_view gated, operations_service& service);

/// `{"ids": [1, 2]}`: 1 to 100 positive integers; `invalid_argument` otherwise. Pure.
[[nodiscard]] result<std::vector<job_id>> requested_jobs(const json& body);

}  // namespace reelsd::dashboard
