#include "resources.hpp"
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <algorithm>
#include <array>

namespace reelsd::dashboard {
namespace {

namespace asio = boost::asio;

constexpr std::size_t name_bytes_max = 400;  // 100 characters, as the database counts.

json token_view(const accounts::token_summary& token) {
    json view{
        {"id", token.id.value},
        {"name", token.name},
        {"prefix", token.prefix},
        {"created_at", to_rfc3339(token.created_at)}};
    if (token.last_used_at) view["last_used_at"] = to_rfc3339(*token.last_used_at);
    if (token.revoked_at) view["revoked_at"] = to_rfc3339(*token.revoked_at);
    return view;
}

/// GET tokens. 200 the caller's tokens, the newest first.
asio::awaitable<http::response> list_tokens(
    http::request_context& ctx, accounts::account_store& accounts) {
    auto tokens = co_await accounts.tokens(ctx.caller(), ctx.database_by());
    std::reverse(tokens.begin(), tokens.end());
    auto views = json::array();
    for (const auto& token : tokens) views.push_back(token_view(token));
    co_return ctx.json(http::status::ok, views);
}

/// POST tokens {"name"}. 201 the token, shown only here; 400; 409 the name is in use.
asio::awaitable<http::response> create_token(
    http::request_context& ctx, accounts::account_store& accounts) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto name = text_in(*body, "name", name_bytes_max);
    if (!name) co_return ctx.problem(name.error());
    if (const auto valid = accounts::check_token_name(*name); !valid) {
        co_return ctx.problem(valid.error());
    }
    const auto token = co_await accounts.create_token(ctx.caller(), *name, ctx.database_by());
    if (!token && token.error().code() == errc::conflict) {
        co_return ctx.problem(
            http::status::conflict,
            "a token with this name already exists; revoke it or choose another name");
    }
    if (!token) co_return ctx.problem(token.error());
    co_return ctx.json(
        http::status::created,
        json{
            {"id", token->id.value},
            {"name", *name},
            {"prefix", accounts::prefix_of_token(token->token)},
            {"created_at", to_rfc3339(token->created_at)},
            {"token", token->token}});
}

/// DELETE tokens/{id}: effective immediately. 204; 404.
asio::awaitable<http::response> revoke_token(
    http::request_context& ctx, accounts::account_store& accounts) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto revoked =
        co_await accounts.revoke_token(ctx.caller(), token_id{*id}, ctx.database_by());
    if (!revoked) co_return ctx.problem(error{errc::not_found});
    co_return ctx.no_content();
}

constexpr auto token_routes = std::to_array<http::route<accounts::account_store>>({
    {http::verb::get, "/tokens", &list_tokens},
    {http::verb::post, "/tokens", &create_token},
    {http::verb::remove, "/tokens/{id}", &revoke_token},
});

}  // namespace

void add_token_routes(
    http::router& router, std::string_view prefix, accounts::account_store& accounts) {
    router.add(token_routes, accounts, prefix);
}

}  // namespace reelsd::dashboard
