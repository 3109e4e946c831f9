#include "extract_presets.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/model/analysis_options.hpp>

#include <boost/asio/awaitable.hpp>

#include <array>

namespace reelsd::api {
namespace {

/// GET /api/v1/extract-presets: the schemas that `extract` may name. 200 an array.
boost::asio::awaitable<http::response> list_presets(
    http::request_context& ctx, const preset_list& presets) {
    co_return ctx.json_text(http::status::ok, presets.text);
}

constexpr auto preset_routes = std::to_array<http::route<const preset_list>>({
    {http::verb::get, "/extract-presets", &list_presets},
});

}  // namespace

void add_extract_preset_routes(
    http::router& router, std::string_view prefix, const preset_list& presets) {
    router.add(preset_routes, presets, prefix);
}

std::string extract_presets_view() {
    auto list = json::array();
    for (const auto& preset : model::extract_presets()) {
        const auto schema = json::parse(preset.schema);
        list.push_back(
            {{"name", preset.name}, {"description", schema.at("description")}, {"schema", schema}});
    }
    return list.dump();
}

}  // namespace reelsd::api
