#include <reelsd/http/header_fields.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::http {

namespace {

char lowered(char letter) noexcept {
    constexpr char step = 'a' - 'A';
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + step) : letter;
}

}  // namespace

bool same_name(std::string_view left, std::string_view right) noexcept {
    if (left.size() != right.size()) return false;
    const auto same = [](char one, char other) { return lowered(one) == lowered(other); };
    return std::equal(left.begin(), left.end(), right.begin(), same);
}

header_fields::header_fields(std::string head, std::vector<place> fields)
    : text_{std::move(head)}, fields_{std::move(fields)} {}

void header_fields::add(std::string_view name, std::string_view value) {
    const auto begin = static_cast<std::uint32_t>(text_.size());
    const auto name_size = static_cast<std::uint32_t>(name.size());
    fields_.push_back(
        {.name_begin = begin,
         .name_size = name_size,
         .value_begin = begin + name_size,
         .value_size = static_cast<std::uint32_t>(value.size())});
    text_.append(name).append(value);
}

std::string_view header_fields::name_at(const place& field) const noexcept {
    return std::string_view{text_}.substr(field.name_begin, field.name_size);
}

std::string_view header_fields::value_at(const place& field) const noexcept {
    return std::string_view{text_}.substr(field.value_begin, field.value_size);
}

std::optional<std::string_view> header_fields::find(std::string_view name) const noexcept {
    for (const auto& field : fields_) {
        if (same_name(name_at(field), name)) return value_at(field);
    }
    return std::nullopt;
}

std::vector<std::string_view> header_fields::find_all(std::string_view name) const {
    std::vector<std::string_view> values;
    for (const auto& field : fields_) {
        if (same_name(name_at(field), name)) values.push_back(value_at(field));
    }
    return values;
}

std::size_t header_fields::count(std::string_view name) const noexcept {
    const auto named = [&](const place& field) { return same_name(name_at(field), name); };
    return static_cast<std::size_t>(std::count_if(fields_.begin(), fields_.end(), named));
}

}  // namespace reelsd::http
