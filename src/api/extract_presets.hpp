#pragma once

#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// The presets of `extract` as JSON text: an array of objects with `name`, `description` and
/// `schema`. Pure.
[[nodiscard]] std::string extract_presets_view();

/// The answer of the route. Outlives the router.
struct preset_list {
    std::string text = extract_presets_view();
};

void add_extract_preset_routes(
    http::router& router, std::string_view prefix, const preset_list& presets);

}  // namespace reelsd::api
