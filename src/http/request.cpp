#include <reelsd/base/text.hpp>
#include <reelsd/http/request.hpp>

#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <ostream>  // For Beast 1.81, which only declares it.
#include <utility>

namespace reelsd::http {
namespace {

constexpr std::array<std::pair<verb, std::string_view>, 7> methods{{
    {verb::get, "GET"},
    {verb::head, "HEAD"},
    {verb::post, "POST"},
    {verb::put, "PUT"},
    {verb::patch, "PATCH"},
    {verb::remove, "DELETE"},
    {verb::options, "OPTIONS"},
}};

}  // namespace

verb verb_of(std::string_view method) noexcept {
    for (const auto& [known, name] : methods) {
        if (name == method) return known;
    }
    return verb::other;
}

std::string_view name_of(verb method) noexcept {
    for (const auto& [known, name] : methods) {
        if (known == method) return name;
    }
    return "OTHER";
}

std::string_view reason_of(status code) noexcept {
    // Its name in RFC 9110; Beast has the one of RFC 7231.
    if (code == status::content_too_large) return "Content Too Large";
    return boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(number_of(code)));
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
