#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/http/request_context.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// Dependencies of the handlers of this resource. Outlives the router.
struct event_service {
    jobs::change_store changes;
    jobs::change_poller& poller;
    http::event_streams streams = {};
};

void add_event_routes(http::router& router, std::string_view gated, event_service& service);

/// Changes as server-sent events: `reel`, `deleted`, `reset` ("load everything again"), and the
/// position after them as an event id without data. Pure.
[[nodiscard]] std::string events_text(const jobs::account_changes& changes);
/// The position in a `Last-Event-ID`; empty unless events_text() could have written it.
[[nodiscard]] std::optional<time_point> position_in(std::string_view last_event_id);

}  // namespace reelsd::dashboard
