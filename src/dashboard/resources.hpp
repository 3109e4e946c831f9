#pragma once

#include "sign_in.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/operations_store.hpp>
#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/http/request_context.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The dashboard's resources: for each the dependencies of its handlers, which outlive the router,
/// and a function that adds its routes below `prefix`. Routes in `/admin` are for administrators.
namespace reelsd::dashboard {

struct account_service {
    accounts::account_store accounts;
    accounts::session_store sessions;
    default_limits limits;
    std::function<std::string()> origin;
    log::logger log;
};

void add_account_routes(http::router& router, std::string_view prefix, account_service& service);

/// The changes in a request body: `invalid_argument` with the text for the client. Pure.
[[nodiscard]] result<accounts::account_changes> requested_changes(const json& body);

struct chat_service {
    chats::chat_store chats;
    /// See dashboard_dependencies.
    std::function<std::optional<std::string>()> bot_username;
};

void add_chat_routes(http::router& router, std::string_view prefix, chat_service& service);

struct erasure_service {
    retention::retention_store retention;
    sign_in_service& sign_in;  ///< Checks passwords and limits attempts.
    log::logger log;
};

/// Deletion of the caller's account, and of others by administrators.
void add_erasure_routes(http::router& router, std::string_view prefix, erasure_service& service);

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

struct operations_service {
    jobs::job_store jobs;
    jobs::operations_store operations;
    std::function<boost::asio::awaitable<json>()> health;  ///< See dashboard_dependencies.
    std::function<boost::asio::awaitable<bool>()> platform_never_answered;
    std::function<void()> jobs_submitted;
    log::logger log;
};

/// `/platform` is for every account, the rest for administrators.
void add_operations_routes(
    http::router& router, std::string_view prefix, operations_service& service);

/// `{"ids": [1, 2]}`: 1 to 100 positive integers; `invalid_argument` otherwise. Pure.
[[nodiscard]] result<std::vector<job_id>> requested_jobs(const json& body);

void add_token_routes(
    http::router& router, std::string_view prefix, accounts::account_store& accounts);

/// The pages and their assets. They need no session, because they contain no data.
void add_page_routes(http::router& router);

}  // namespace reelsd::dashboard
