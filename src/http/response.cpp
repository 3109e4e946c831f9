#include "ascii.hpp"
#include <reelsd/http/response.hpp>

#include <algorithm>
#include <stdexcept>

namespace reelsd::http {

namespace {

constexpr std::string_view content_type_name = "Content-Type";

void check_field(std::string_view name, std::string_view value) {
    const auto breaks = [](char letter) { return is_control(letter); };
    if (!is_token(name) || std::any_of(value.begin(), value.end(), breaks) ||
        same_name(name, content_type_name)) {
        throw std::invalid_argument{"a response header field would break the header"};
    }
}

}  // namespace

response::response(status code, std::string_view content_type, std::string body)
    : code_{code}, content_type_{content_type}, body_{std::move(body)} {}

response::response(status code, std::string_view content_type, shared_text body)
    : code_{code}, content_type_{content_type}, body_{std::move(body)} {}

response response::of_static(status code, std::string_view content_type, std::string_view body) {
    response made{code};
    made.content_type_ = content_type;
    made.body_ = body;
    return made;
}

response response::of_stream(std::string_view content_type, body_source source) {
    response made{status::ok};
    made.content_type_ = content_type;
    made.body_ = std::move(source);
    return made;
}

response& response::set(std::string_view name, std::string value) & {
    check_field(name, value);
    const auto named = [&](const field& known) { return same_name(known.first, name); };
    const auto known = std::find_if(fields_.begin(), fields_.end(), named);
    if (known == fields_.end()) {
        fields_.emplace_back(name, std::move(value));
    } else {
        known->second = std::move(value);
    }
    return *this;
}

response response::set(std::string_view name, std::string value) && {
    set(name, std::move(value));
    return std::move(*this);
}

response& response::add(std::string_view name, std::string value) & {
    check_field(name, value);
    fields_.emplace_back(name, std::move(value));
    return *this;
}

std::string_view response::body() const noexcept {
    if (const auto* own = std::get_if<std::string>(&body_)) return *own;
    if (const auto* shared = std::get_if<shared_text>(&body_)) {
        return *shared ? std::string_view{**shared} : std::string_view{};
    }
    const auto* lasting = std::get_if<std::string_view>(&body_);
    return lasting ? *lasting : std::string_view{};
}

std::size_t response::bytes_held() const noexcept {
    if (const auto* const own = std::get_if<std::string>(&body_)) return own->size();
    // Counted for each that shares it: who keeps it may let go of it before this answer is out.
    const auto* const shared = std::get_if<shared_text>(&body_);
    return shared ? (*shared)->size() : 0;
}

const body_source* response::stream() const noexcept {
    return std::get_if<body_source>(&body_);
}

body_source response::take_stream() {
    return std::get<body_source>(std::move(body_));
}

std::string_view response::find(std::string_view name) const noexcept {
    for (const auto& [known, value] : fields_) {
        if (same_name(known, name)) return value;
    }
    return same_name(name, content_type_name) ? content_type_ : std::string_view{};
}

}  // namespace reelsd::http
