#include "provider_json.hpp"

namespace reelsd::model {

const json& member(const json& object, const char* name) {
    static const json none;
    if (!object.is_object()) return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

std::string text_in(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string{};
}

const json& list_in(const json& object, const char* name) {
    static const json none = json::array();
    const auto& value = member(object, name);
    return value.is_array() ? value : none;
}

}  // namespace reelsd::model
