#pragma once

#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/http/request_context.hpp>
#include <reelsd/http/router.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::api {

/// Dependencies of the handlers of this resource. Outlives the router.
struct reel_event_service {
    jobs::change_store changes;
    jobs::change_poller& poller;
    http::event_streams streams = {};
};

void add_reel_event_routes(
    http::router& router, std::string_view prefix, reel_event_service& service);

/// The last event that a reader of a reel received.
struct sent_events {
    jobs::job_status status = jobs::job_status::pending;
    int attempt = 0;
    std::string step = {};
    bool is_finished = false;  ///< It was the last one.

    friend bool operator==(const sent_events&, const sent_events&) = default;
};

/// Returns the `id:` of an event. It contains the whole position, so that any daemon can continue
/// from it. Pure.
[[nodiscard]] std::string event_id(job_id job, const sent_events& sent);
/// Parses `Last-Event-ID`; empty unless event_id() returned it for this job. Pure.
[[nodiscard]] std::optional<sent_events> sent_in(std::string_view last_event_id, job_id job);

/// Returns the server-sent events from `sent` to the current state, and updates `sent`; empty when
/// nothing has changed. Skips intermediate states. Without `sent`, the first event of a stream.
/// Pure.
[[nodiscard]] std::string events_until(
    std::optional<sent_events>& sent, const jobs::job_state_view& now);
/// The event of a deleted job. Pure.
[[nodiscard]] std::string deleted_event(job_id job);

}  // namespace reelsd::api
