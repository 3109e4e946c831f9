#include "session_gate.hpp"

#include "request_body.hpp"
#include "session_cookie.hpp"

#include <memory>

namespace reelsd::dashboard {
namespace {

http::response sign_in_required(const http::request_context& ctx) {
    return ctx.unauthorized("sign in to the dashboard first", session_challenge);
}

bool changes_something(http::verb method) {
    return method != http::verb::get && method != http::verb::head;
}

}  // namespace

const signed_in& signed_in_of(const http::request_context& ctx) {
    return ctx.identity_as<signed_in>();
}

boost::asio::awaitable<std::optional<http::response>> session_gate::authenticate(
    http::request_context& ctx) {
    const auto secret =
        session_secret_in(ctx.header("Cookie").value_or(""), origin_().starts_with("https://"));
    const auto hash = secret ? accounts::hash_of_secret(*secret) : std::nullopt;
    if (!hash) co_return sign_in_required(ctx);
    auto found = co_await sessions_.find(*hash, ctx.database_by());
    if (!found) co_return sign_in_required(ctx);
    ctx.set_identity(std::make_shared<signed_in>(*std::move(found), *hash, csrf_token_of(*secret)));
    co_return std::nullopt;
}

boost::asio::awaitable<std::optional<http::response>> session_gate::authenticate_administrator(
    http::request_context& ctx) {
    auto refused = co_await authenticate(ctx);
    if (refused) co_return refused;
    if (!signed_in_of(ctx).session.is_admin) co_return ctx.problem(error{errc::not_found});
    co_return std::nullopt;
}

std::optional<http::response> session_gate::admit(http::request_context& ctx) const {
    if (!changes_something(ctx.request().method)) return std::nullopt;
    if (auto refused = refuse_other_sites(ctx, origin_())) return refused;
    if (ctx.header("X-CSRF-Token").value_or("") != signed_in_of(ctx).csrf_token) {
        return ctx.problem(
            http::status::forbidden, "the header X-CSRF-Token is missing or of another session");
    }
    return std::nullopt;
}

}  // namespace reelsd::dashboard
