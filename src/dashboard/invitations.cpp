#include "invitations.hpp"

#include "request_body.hpp"
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/domain/accounts/password.hpp>
#include <reelsd/http/router.hpp>

#include <fmt/format.h>

#include <array>

namespace reelsd::dashboard {
namespace {

namespace asio = boost::asio;

http::response no_longer_valid(const http::request_context& ctx) {
    return ctx.problem(
        http::status::not_found,
        "this link is no longer valid: it has been used, replaced by a newer one, or has expired");
}

/// The secret in the body; nothing when it cannot be one.
result<std::optional<accounts::secret_hash>> invited_by(const json& body) {
    const auto secret = text_in(body, "token", password_bytes_max);
    if (!secret) return secret.error();
    return accounts::hash_of_secret(*secret);
}

/// The account's own address; the first administrator's is in the body.
result<std::string> address_for(const accounts::invitation_purpose& purpose, const json& body) {
    if (purpose.email) return *purpose.email;
    return text_in(body, "email", email_bytes_max);
}

/// POST /dashboard/invitation {"token"}. 200 what it is for; 404. A POST, because no address and no
/// log should hold the secret.
asio::awaitable<http::response> look_at_invitation(
    http::request_context& ctx, sign_in_service& service) {
    if (auto refused = refuse_other_sites(ctx, service.origin())) co_return *std::move(refused);
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto hash = invited_by(*body);
    if (!hash) co_return ctx.problem(hash.error());
    if (!*hash) co_return no_longer_valid(ctx);
    const auto purpose = co_await service.sessions.look_at(**hash, ctx.database_by());
    if (!purpose) co_return no_longer_valid(ctx);
    json view{{"purpose", purpose->email ? "account" : "first_administrator"}};
    if (purpose->email) view["email"] = *purpose->email;
    co_return ctx.json(http::status::ok, view);
}

/// POST /dashboard/invitation/accept {"token", "email" for the first administrator, "password"}.
/// 200 a session; 400; 404; 409 the address has an account that can sign in.
asio::awaitable<http::response> accept_invitation(
    http::request_context& ctx, sign_in_service& service) {
    if (auto refused = refuse_other_sites(ctx, service.origin())) co_return *std::move(refused);
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto hash = invited_by(*body);
    if (!hash) co_return ctx.problem(hash.error());
    const auto password = text_in(*body, "password", password_bytes_max);
    if (!password) co_return ctx.problem(password.error());
    if (!*hash) co_return no_longer_valid(ctx);
    const auto purpose = co_await service.sessions.look_at(**hash, ctx.database_by());
    if (!purpose) co_return no_longer_valid(ctx);

    const auto email = address_for(*purpose, *body);
    if (!email) co_return ctx.problem(email.error());
    if (const auto valid = accounts::check_email(*email); !valid) {
        co_return ctx.problem(valid.error());
    }
    const auto sound = accounts::check_new_password(*password, *email);
    if (!sound) co_return ctx.problem(sound.error());
    const auto made = co_await hash_off_loop(ctx, service, *password);
    if (!made) co_return ctx.problem(made.error());

    const auto accepted =
        co_await service.sessions.accept(**hash, *email, *made, ctx.database_by());
    switch (accepted.outcome) {
        case accounts::acceptance::invalid: co_return no_longer_valid(ctx);
        case accounts::acceptance::taken:
            co_return ctx.problem(
                http::status::conflict, "this address has an account already: sign in with it");
        case accounts::acceptance::accepted: break;
    }
    service.log.info("invitation accepted", {{"account", accepted.account.value}});
    const accounts::credentials verified{.account = accepted.account, .password_hash = *made};
    co_return co_await begin_session(ctx, service, verified);
}

constexpr auto invitation_routes = std::to_array<http::route<sign_in_service>>({
    {http::verb::post, "/dashboard/invitation", &look_at_invitation},
    {http::verb::post, "/dashboard/invitation/accept", &accept_invitation},
});

}  // namespace

void add_invitation_routes(http::router& router, sign_in_service& service) {
    router.add(invitation_routes, service);
}

std::string invitation_link(std::string_view origin, std::string_view secret) {
    return fmt::format("{}/join#{}", origin, secret);
}

}  // namespace reelsd::dashboard
