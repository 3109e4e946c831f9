#include "accounts.hpp"
#include "chats.hpp"
#include "erasure.hpp"
#include "events.hpp"
#include "operations.hpp"
#include "pages.hpp"
#include "session_authentication.hpp"
#include "sign_in.hpp"
#include "tokens.hpp"
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/http/router.hpp>

#include <chrono>
#include <utility>

namespace reelsd::dashboard {

using namespace std::chrono_literals;

namespace {

/// For administrators; see accounts.cpp and operations.cpp.
constexpr std::string_view administration_prefix = "/dashboard/api/admin";

}  // namespace

struct dashboard::state {
    session_authentication gate;
    sign_in_service sign_in;
    token_service tokens;
    chat_service chats;
    event_service events;
    account_service accounts;
    erasure_service erasure;
    operations_service operations;

    explicit state(dashboard_dependencies parts)
        : gate{parts.sessions, parts.origin},
          sign_in{
              .sessions = parts.sessions,
              .offload = parts.offload,
              .origin = parts.origin,
              .log = parts.log,
              .throttle = {}},
          tokens{.accounts = parts.accounts},
          chats{.chats = parts.chats, .bot_username = std::move(parts.bot_username)},
          events{.changes = parts.changes, .poller = parts.poller},
          accounts{
              .accounts = parts.accounts,
              .sessions = parts.sessions,
              .limits = parts.limits,
              .origin = parts.origin,
              .log = parts.log},
          erasure{.retention = parts.retention, .sign_in = sign_in, .log = parts.log},
          operations{
              .jobs = parts.jobs,
              .operations = parts.operations,
              .health = std::move(parts.health),
              .platform_never_answered = std::move(parts.platform_never_answered),
              .jobs_submitted = std::move(parts.jobs_submitted),
              .log = parts.log} {}
};

dashboard::dashboard(dashboard_dependencies parts)
    : state_{std::make_unique<state>(std::move(parts))} {}

dashboard::~dashboard() = default;

void dashboard::add_to(http::router& router) {
    auto& gate = state_->gate;
    router.use(
        {.prefix = gated_prefix,
         .authenticate = [&gate](http::request_context& ctx) { return gate.authenticate(ctx); },
         .accept = [&gate](http::request_context& ctx) { return gate.accept(ctx); }});
    router.use(
        {.prefix = administration_prefix,
         .authenticate =
             [&gate](http::request_context& ctx) { return gate.authenticate_administrator(ctx); },
         .accept = [&gate](http::request_context& ctx) { return gate.accept(ctx); }});
    add_sign_in_routes(router, gated_prefix, state_->sign_in);
    add_invitation_routes(router, state_->sign_in);
    add_token_routes(router, gated_prefix, state_->tokens);
    add_chat_routes(router, gated_prefix, state_->chats);
    add_event_routes(router, gated_prefix, state_->events);
    add_account_routes(router, gated_prefix, state_->accounts);
    add_erasure_routes(router, gated_prefix, state_->erasure);
    add_operations_routes(router, gated_prefix, state_->operations);
    add_page_routes(router);
}

boost::asio::awaitable<std::string> dashboard::first_administrator_link() {
    constexpr auto patience = 10s;  // The database may still be starting.
    auto& service = state_->sign_in;
    const auto by = deadline::after(patience);
    if (co_await service.sessions.has_administrator(by)) co_return std::string{};
    const auto invited = co_await service.sessions.invite(std::nullopt, by);
    co_return invitation_link(service.origin(), invited.secret);
}

}  // namespace reelsd::dashboard
