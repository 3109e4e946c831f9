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

/// What the handlers of this resource use. Outlives the router.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): none of its members can be left out
struct search_service {
    jobs::reel_search search;
    const model::embedder& embedder;  ///< Fast enough for the loop.
    /// See api_dependencies::near_reels.
    std::function<boost::asio::awaitable<std::vector<job_id>>(account_id caller, std::string query)>
        near_reels;
};

void add_search_routes(http::router& router, std::string_view prefix, search_service& service);

/// `?q=`: 1-500 characters that are not all blank; control characters and broken UTF-8 are no error
/// but no text either. `invalid_argument` with the text that the client reads. Pure.
[[nodiscard]] result<std::string> requested_query(std::optional<std::string_view> text);

/// A hit as clients see it (contract section 5), as JSON text. `match` is the passage of it that
/// answers best; a reel that has none at all is shown by its summary. Pure.
/// Errors: internal when the stored passages cannot be read.
[[nodiscard]] result<std::string> hit_view(
    const jobs::search_hit& hit, const model::passage_finder& finder);

}  // namespace reelsd::api
