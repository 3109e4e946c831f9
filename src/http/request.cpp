#include <reelsd/base/text.hpp>
#include <reelsd/http/request.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::http {

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
        if (equals_ignoring_case(name_at(field), name)) return value_at(field);
    }
    return std::nullopt;
}

std::vector<std::string_view> header_fields::find_all(std::string_view name) const {
    std::vector<std::string_view> values;
    for (const auto& field : fields_) {
        if (equals_ignoring_case(name_at(field), name)) values.push_back(value_at(field));
    }
    return values;
}

bool is_sane_request_id(std::string_view text) noexcept {
    constexpr std::size_t size_max = 128;
    const auto sane = [](char letter) {
        return is_alphanumeric(letter) || letter == '.' || letter == '_' || letter == '-';
    };
    return !text.empty() && text.size() <= size_max && std::all_of(text.begin(), text.end(), sane);
}

}  // namespace reelsd::http
