#include "resources.hpp"
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <array>
#include <variant>

namespace reelsd::dashboard {
namespace {

namespace asio = boost::asio;

http::response refusal_of(const http::request_context& ctx, const error& why) {
    if (why.code() != errc::conflict) return ctx.problem(error{errc::not_found});
    return ctx.problem(http::status::conflict, why.detail());
}

/// POST account/deletion {"password"}. 204 the account is being deleted and its sessions have
/// ended; 400 the password is wrong; 409 the caller is the only administrator; 429.
asio::awaitable<http::response> delete_own_account(
    http::request_context& ctx, erasure_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto password = text_in(*body, "password", password_bytes_max);
    if (!password) co_return ctx.problem(password.error());
    auto confirmed = co_await confirm_password(ctx, service.sign_in, *password);
    if (auto* const refused = std::get_if<http::response>(&confirmed)) {
        co_return std::move(*refused);
    }
    const auto& verified = std::get<accounts::credentials>(confirmed);
    const auto begun = co_await service.retention.begin_erasure(
        verified.account, verified.password_hash, ctx.database_by());
    if (!begun) co_return refusal_of(ctx, begun.error());
    service.log.info("account deletion requested", {{"account", verified.account.value}});
    auto answer = ctx.no_content();
    answer.add("Set-Cookie", ended_session_cookie(is_secure(service.sign_in)));
    co_return answer;
}

/// DELETE admin/accounts/{id}. 204 the account is being deleted and its sessions have ended; 404;
/// 409 it is the caller's own.
asio::awaitable<http::response> delete_account(
    http::request_context& ctx, erasure_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    if (account_id{*id} == ctx.caller()) {
        co_return ctx.problem(
            http::status::conflict, "this is your own account; delete it on the page Account");
    }
    const auto begun =
        co_await service.retention.begin_erasure(account_id{*id}, std::nullopt, ctx.database_by());
    if (!begun) co_return refusal_of(ctx, begun.error());
    service.log.info(
        "account deleted by administrator",
        {{"account", *id}, {"administrator", ctx.caller().value}});
    co_return ctx.no_content();
}

constexpr auto erasure_routes = std::to_array<http::route<erasure_service>>({
    {http::verb::post, "/account/deletion", &delete_own_account},
    {http::verb::remove, "/admin/accounts/{id}", &delete_account},
});

}  // namespace

void add_erasure_routes(http::router& router, std::string_view prefix, erasure_service& service) {
    router.add(erasure_routes, service, prefix);
}

}  // namespace reelsd::dashboard
