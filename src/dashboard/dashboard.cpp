#include "resources.hpp"
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/http/router.hpp>

#include <chrono>
#include <utility>

namespace reelsd::dashboard {

using namespace std::chrono_literals;

namespace {

constexpr std::string_view administration_prefix = "/dashboard/api/admin";

}  // namespace

struct dashboard::state {
    session_authentication authentication;
    sign_in_service sign_in;
    accounts::account_store tokens;
    chat_service chats;
    event_service events;
    account_service accounts;
    erasure_service erasure;
    operations_service operations;

    explicit state(dashboard_dependencies dependencies)
        : authentication{dependencies.sessions, dependencies.origin},
          sign_in{
              .sessions = dependencies.sessions,
              .offload = dependencies.offload,
              .origin = dependencies.origin,
              .log = dependencies.log,
              .throttle = {},
              .analyzers = std::move(dependencies.analyzers)},
          tokens{dependencies.accounts},
          chats{.chats = dependencies.chats, .bot_username = std::move(dependencies.bot_username)},
          events{.changes = dependencies.changes, .poller = dependencies.poller},
          accounts{
              .accounts = dependencies.accounts,
              .sessions = dependencies.sessions,
              .limits = dependencies.limits,
              .origin = dependencies.origin,
              .log = dependencies.log},
          erasure{.retention = dependencies.retention, .sign_in = sign_in, .log = dependencies.log},
          operations{
              .jobs = dependencies.jobs,
              .operations = dependencies.operations,
              .health = std::move(dependencies.health),
              .platform_never_answered = std::move(dependencies.platform_never_answered),
              .jobs_submitted = std::move(dependencies.jobs_submitted),
              .log = dependencies.log} {}
};

dashboard::dashboard(dashboard_dependencies dependencies)
    : state_{std::make_unique<state>(std::move(dependencies))} {}

dashboard::~dashboard() = default;

void dashboard::add_to(http::router& router) {
    auto& authentication = state_->authentication;
    router.use(
        {.prefix = gated_prefix,
         .authenticate =
             [&authentication](http::request_context& ctx) {
                 return authentication.authenticate(ctx);
             },
         .accept =
             [&authentication](http::request_context& ctx) { return authentication.accept(ctx); }});
    router.use(
        {.prefix = administration_prefix,
         .authenticate =
             [&authentication](http::request_context& ctx) {
                 return authentication.authenticate_administrator(ctx);
             },
         .accept =
             [&authentication](http::request_context& ctx) { return authentication.accept(ctx); }});
    add_sign_in_routes(router, gated_prefix, state_->sign_in);
    add_token_routes(router, gated_prefix, state_->tokens);
    add_chat_routes(router, gated_prefix, state_->chats);
    add_event_routes(router, gated_prefix, state_->events);
    add_account_routes(router, gated_prefix, state_->accounts);
    add_erasure_routes(router, gated_prefix, state_->erasure);
    add_operations_routes(router, gated_prefix, state_->operations);
    add_page_routes(router);
}

boost::asio::awaitable<std::string> dashboard::first_administrator_link() {
    constexpr auto time_max = 10s;  // The database may still be starting.
    auto& service = state_->sign_in;
    const auto by = deadline::after(time_max);
    if (co_await service.sessions.has_administrator(by)) co_return std::string{};
    const auto invitation = co_await service.sessions.invite(std::nullopt, by);
    co_return invitation_link(service.origin(), invitation.secret);
}

}  // namespace reelsd::dashboard
