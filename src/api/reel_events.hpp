#pragma once

#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/http/request_context.hpp>
#include <reelsd/http/router.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct reel_event_service {
    jobs::change_store changes;
    jobs::change_poller& poller;
    http::event_streams streams = {};
};

void add_reel_event_routes(
    http::router& router, std::string_view prefix, reel_event_service& service);

/// How far a reader of a reel's events has been told.
struct sent_events {
    jobs::job_status status = jobs::job_status::pending;
    int attempt = 0;
    std::string step = {};
    bool is_finished = false;  ///< Has had the last one.

    friend bool operator==(const sent_events&, const sent_events&) = default;
};

/// The `id:` of the event after which a reader has been told so much. It says all that there is to
/// know: whichever daemon a reader comes back to can go on from it. Pure.
[[nodiscard]] std::string event_id(job_id job, const sent_events& told);
/// What a `Last-Event-ID` says; nothing for what event_id() has not made of this job. Pure.
[[nodiscard]] std::optional<sent_events> sent_in(std::string_view last_event_id, job_id job);

/// The server-sent events that bring a reader from `told` to how the job stands now, and move
/// `told` there; empty when there is nothing to tell. Whatever came and went in between is left
/// out. Without `told`, the first event of a stream. Pure.
[[nodiscard]] std::string events_until(
    std::optional<sent_events>& told, const jobs::job_state_view& now);
/// Tells that the job is there no more. Pure.
[[nodiscard]] std::string deleted_event(job_id job);

}  // namespace reelsd::api
