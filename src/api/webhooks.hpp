#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// Whether deliveries may go to an address. The text of its error, invalid_argument, continues the
/// name of the field: "must be an https URL".
using webhook_url_check = std::function<result<void>(std::string_view url)>;

/// Dependencies of the handlers of this resource. Outlives the router.
struct webhook_service {
    webhooks::webhook_store settings;
    webhooks::delivery_store deliveries;
    webhook_url_check check_url;
    /// Called when a delivery has become due.
    std::function<void()> delivery_due;
};

void add_webhook_routes(http::router& router, std::string_view prefix, webhook_service& service);

/// Reads the address in `field` of a body: empty when absent or null. Errors: invalid_argument with
/// the text for the client unless it is a string that `check` accepts.
[[nodiscard]] result<std::optional<std::string>> requested_webhook_url(
    const json& body, std::string_view field, const webhook_url_check& check);

/// Reads `?state=`: empty when absent. Errors: invalid_argument unless it is a state. Pure.
[[nodiscard]] result<std::optional<webhooks::delivery_state>> requested_delivery_state(
    std::optional<std::string_view> text);

}  // namespace reelsd::api
