#include "json_access.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace reelsd::platform {

const document* member(const document& from, std::initializer_list<const char*> path) {
    const document* at = &from;
    for (const char* name : path) {
        if (!at->is_object()) return nullptr;
        const auto found = at->find(name);
        if (found == at->end() || found->is_null()) return nullptr;
        at = &*found;
    }
    return at;
}

std::optional<std::string> text_at(const document& from, std::initializer_list<const char*> path) {
    const auto* found = member(from, path);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    auto text = found->get<std::string>();
    std::erase(text, '\0');
    if (text.empty()) return std::nullopt;
    return text;
}

std::optional<std::int64_t> count_at(
    const document& from, std::initializer_list<const char*> path) {
    const auto* found = member(from, path);
    if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
    const auto count = found->get<std::uint64_t>();
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    return static_cast<std::int64_t>(count);
}

std::optional<bool> truth_at(const document& from, std::initializer_list<const char*> path) {
    const auto* found = member(from, path);
    if (found == nullptr || !found->is_boolean()) return std::nullopt;
    return found->get<bool>();
}

const document& array_at(const document& from, std::initializer_list<const char*> path) {
    static const document none = document::array();
    const auto* found = member(from, path);
    return found != nullptr && found->is_array() ? *found : none;
}

void visit_members(
    const document& root,
    const std::function<void(const std::string& name, const document& value)>& visit) {
    std::vector<const document*> open{&root};
    while (!open.empty()) {
        const document& at = *open.back();
        open.pop_back();
        if (at.is_object()) {
            for (const auto& [name, value] : at.items()) visit(name, value);
        }
        for (const auto& child : at) {
            if (child.is_structured()) open.push_back(&child);
        }
    }
}

}  // namespace reelsd::platform
