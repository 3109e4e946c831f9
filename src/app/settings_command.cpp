#include "commands.hpp"
#include "setting_table.hpp"
#include <reelsd/base/json.hpp>

#include <fmt/format.h>

namespace reelsd::app {
namespace {

std::string_view name_of(value_type type) {
    switch (type) {
        case value_type::text: return "text";
        case value_type::number: return "number";
        case value_type::flag: return "flag";
    }
    return {};
}

json to_json(const setting_definition& definition, std::string_view group) {
    return {
        {"name", definition.name},
        {"group", group},
        {"variable", environment_name(definition.name)},
        {"other_variable", definition.other_variable},
        {"type", name_of(definition.value.type)},
        {"default", definition.default_value},
        {"allowed", accepted_values(definition.value)},
        {"secret", definition.shown == exposure::secret},
        {"help", definition.help}};
}

}  // namespace

result<void> execute(
    const settings_command& /*unused*/, const settings& /*unused*/, const log::logger& /*unused*/) {
    auto listed = json::array();
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            listed.push_back(to_json(definition, group.title));
        }
    }
    fmt::print("{}\n", listed.dump(2));
    return {};
}

}  // namespace reelsd::app
