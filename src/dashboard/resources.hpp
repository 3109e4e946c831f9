#pragma once

#include "session_authentication.hpp"
#include "sign_in_throttle.hpp"
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/http/request_context.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The dashboard's resources: for each the dependencies of its handlers, which outlive the router,
/// and a function that adds its routes below `prefix`. Routes in `/admin` are for administrators.
namespace reelsd::dashboard {

/// Sign-in, invitations, sessions, and the deletion of the caller's account.
struct sign_in_service {
    account_service& accounts;
    async::offload_pool& offload;
    sign_in_throttle throttle = {};
    const model::offered_analyzers& analyzers;  ///< See dashboard_dependencies.
};

/// Routes of sessions below `prefix`, and without it those of sign-in and invitations.
void add_sign_in_routes(http::router& router, std::string_view prefix, sign_in_service& service);

inline constexpr std::size_t email_bytes_max = 254;

/// 404, or 409 with the reason, for an account that cannot be deleted.
[[nodiscard]] http::response erasure_refusal(const http::request_context& ctx, const error& why);

void add_account_routes(http::router& router, std::string_view prefix, account_service& service);

/// The changes in a request body: `invalid_argument` with the text for the client. Pure.
[[nodiscard]] result<accounts::account_changes> requested_changes(const json& body);

void add_chat_routes(http::router& router, std::string_view prefix, chat_service& service);

struct event_service {
    jobs::change_store changes;
    jobs::change_poller& poller;
    http::event_streams streams = {};
};

void add_event_routes(http::router& router, std::string_view prefix, event_service& service);

/// Changes as server-sent events: `reel`, `deleted`, `reset` (reload everything), and the position
/// after them as an event ID without data. Pure.
[[nodiscard]] std::string events_text(const jobs::account_changes& changes);
/// The position in a `Last-Event-ID`; empty unless events_text() could have written it.
[[nodiscard]] std::optional<time_point> position_in(std::string_view last_event_id);

/// `/platform` is for every account, the rest for administrators.
void add_operations_routes(
    http::router& router, std::string_view prefix, operations_service& service);

/// `{"ids": [1, 2]}`: 1 to 100 positive integers; `invalid_argument` otherwise. Pure.
[[nodiscard]] result<std::vector<job_id>> requested_jobs(const json& body);

/// For administrators.
void add_model_routes(http::router& router, std::string_view prefix, model_service& service);

void add_token_routes(
    http::router& router, std::string_view prefix, accounts::account_store& accounts);

/// The pages and their assets. They need no session, because they contain no data.
void add_page_routes(http::router& router);

}  // namespace reelsd::dashboard
