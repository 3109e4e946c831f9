#include "json_members.hpp"

namespace reelsd::model {

const json& member(const json& object, std::string_view name) {
    static const json none;
    if (!object.is_object()) return none;
    const auto member = object.find(name);
    return member == object.end() ? none : *member;
}

std::string text_in(const json& object, std::string_view name) {
    const auto& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string{};
}

std::int64_t count_in(const json& object, std::string_view name) {
    const auto& value = member(object, name);
    if (value.is_number_unsigned()) return bounded_count(value.get<std::uint64_t>());
    if (!value.is_string()) return 0;
    const auto& text = value.get_ref<const std::string&>();
    const bool is_count = !text.empty() && text.size() <= 15 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
    return is_count ? bounded_count(std::stoull(text)) : 0;
}

const json& list_in(const json& object, std::string_view name) {
    static const json none = json::array();
    const auto& value = member(object, name);
    return value.is_array() ? value : none;
}

}  // namespace reelsd::model
