#pragma once

#include "webhook_url.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/domain/webhooks/delivery_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <functional>
#include <optional>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct webhook_service {
    webhooks::webhook_store settings;
    webhooks::delivery_store deliveries;
    webhook_url_check check_url;
    /// A delivery has become due: it may be tried at once.
    std::function<void()> delivery_due;
};

void add_webhook_routes(http::router& router, std::string_view prefix, webhook_service& service);

/// `?state=`: nothing when absent; `invalid_argument` unless a state of deliveries. Pure.
[[nodiscard]] result<std::optional<webhooks::delivery_state>> requested_delivery_state(
    std::optional<std::string_view> text);

}  // namespace reelsd::api
