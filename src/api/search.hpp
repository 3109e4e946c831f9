#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/model/search_document.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// Dependencies of the handlers of this resource. Outlives the router.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): no member can be omitted
struct search_service {
    jobs::reel_search search;
    const model::embedder& embedder;  ///< Fast enough for the loop.
    /// See api_dependencies::near_reels.
    std::function<boost::asio::awaitable<std::vector<job_id>>(account_id caller, std::string query)>
        near_reels;
};

void add_search_routes(http::router& router, std::string_view prefix, search_service& service);

/// Reads `?q=`: 1-500 characters, not all blank. Ignores control characters and invalid UTF-8.
/// Errors: invalid_argument with the text for the client. Pure.
[[nodiscard]] result<std::string> requested_query(std::optional<std::string_view> text);

/// Returns a hit as JSON (docs/openapi.yaml). `match` is its best passage, or its summary without
/// passages. Errors: internal when the stored passages are invalid. Pure.
[[nodiscard]] result<std::string> hit_view(
    const jobs::search_hit& hit, const model::passage_finder& finder);

}  // namespace reelsd::api
