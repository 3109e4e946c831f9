#include "session_authentication.hpp"

#include "request_body.hpp"
#include "session_cookie.hpp"

namespace reelsd::dashboard {
namespace {

http::response sign_in_required(const http::request_context& ctx) {
    return ctx.unauthorized("sign in to the dashboard first", session_challenge);
}

bool changes_something(http::verb method) {
    return method != http::verb::get && method != http::verb::head;
}

}  // namespace

http::caller_identity identity_of(accounts::session session, std::string_view secret) {
    return {
        .account = session.account,
        .email = std::move(session.email),
        .is_admin = session.is_admin,
        .session_ends_at = session.expires_at,
        .csrf_token = csrf_token_of(secret)};
}

boost::asio::awaitable<std::optional<http::response>> session_authentication::authenticate(
    http::request_context& ctx) {
    const auto secret =
        session_secret_in(ctx.header("Cookie").value_or(""), origin_().starts_with("https://"));
    const auto hash = secret ? accounts::hash_of_secret(*secret) : std::nullopt;
    if (!hash) co_return sign_in_required(ctx);
    auto found = co_await sessions_.find(*hash, ctx.database_by());
    if (!found) co_return sign_in_required(ctx);
    ctx.set_caller(identity_of(*std::move(found), *secret));
    co_return std::nullopt;
}

boost::asio::awaitable<std::optional<http::response>>
session_authentication::authenticate_administrator(http::request_context& ctx) {
    auto refused = co_await authenticate(ctx);
    if (refused) co_return refused;
    if (!ctx.identity().is_admin) co_return ctx.problem(error{errc::not_found});
    co_return std::nullopt;
}

std::optional<http::response> session_authentication::accept(http::request_context& ctx) const {
    if (!changes_something(ctx.request().method)) return std::nullopt;
    if (auto refused = refuse_other_sites(ctx, origin_())) return refused;
    if (ctx.header("X-CSRF-Token").value_or("") != ctx.identity().csrf_token) {
        return ctx.problem(
            http::status::forbidden, "the header X-CSRF-Token is missing or of another session");
    }
    return std::nullopt;
}

}  // namespace reelsd::dashboard
