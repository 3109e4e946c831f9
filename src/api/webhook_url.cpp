#include "webhook_url.hpp"

#include <reelsd/base/json.hpp>

#include <fmt/format.h>

namespace reelsd::api {

result<std::optional<std::string>> requested_webhook_url(
    const json& body, std::string_view field, const webhook_url_check& check) {
    const auto url = body.find(field);
    if (url == body.end() || url->is_null()) return std::optional<std::string>{};
    if (!url->is_string()) {
        return error{errc::invalid_argument, fmt::format("{} must be a string", field)};
    }
    const auto& text = url->get_ref<const std::string&>();
    if (const auto allowed = check(text); !allowed) {
        return error{errc::invalid_argument, fmt::format("{} {}", field, allowed.error().detail())};
    }
    return std::optional{text};
}

}  // namespace reelsd::api
