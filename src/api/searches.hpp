#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/searches/saved_search_store.hpp>

#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

void add_saved_search_routes(
    http::router& router, std::string_view prefix, searches::saved_search_store& store);

/// Reads {"query": string, "name"?: string, "author"?: string, "min_score"?: number}. The name of a
/// search without one is the beginning of its query. Errors: invalid_argument with the text for the
/// client. Pure.
[[nodiscard]] result<searches::saved_search> requested_search(const json& body);

[[nodiscard]] json saved_search_view(const searches::saved_search& saved);

}  // namespace reelsd::api
