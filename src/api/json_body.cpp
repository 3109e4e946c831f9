#include "json_body.hpp"

#include <reelsd/base/utf8.hpp>
#include <reelsd/model/search_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reelsd::api {
namespace {

constexpr std::size_t body_author_characters_max = 100;

error wrong_length(const char* name, std::size_t characters_max) {
    return error{
        errc::invalid_argument, fmt::format("{} must be 1 to {} characters", name, characters_max)};
}

}  // namespace

const json* find_member(const json& body, const char* name) {
    const auto found = body.find(name);
    return found == body.end() || found->is_null() ? nullptr : &*found;
}

result<std::optional<std::string>> requested_label(
    const json& body, const char* name, std::size_t characters_max) {
    const auto* const given = find_member(body, name);
    if (given == nullptr) return std::optional<std::string>{};
    if (!given->is_string())
        return error{errc::invalid_argument, fmt::format("{} must be a string", name)};
    auto label = model::query_text(given->get_ref<const std::string&>());
    std::ranges::replace_if(
        label, [](char byte) { return byte == '\n' || byte == '\t'; }, ' ');
    const auto characters = code_point_count(label);
    if (characters < 1 || characters > characters_max) return wrong_length(name, characters_max);
    return std::optional{std::move(label)};
}

result<std::optional<std::string>> requested_author_in(const json& body) {
    auto author = requested_label(body, "author", body_author_characters_max);
    if (!author || !*author || !(*author)->starts_with('@')) return author;
    (*author)->erase(0, 1);
    if ((*author)->empty()) return wrong_length("author", body_author_characters_max);
    return author;
}

}  // namespace reelsd::api
