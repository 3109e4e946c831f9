#include "chats.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/http/request_context.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <fmt/format.h>

#include <array>

namespace reelsd::dashboard {
namespace {

namespace asio = boost::asio;

json chat_view(const chats::linked_chat& chat) {
    return {
        {"id", chat.id.value},
        {"kind", chats::name_of(chat.kind)},
        {"name", chat.name},
        {"tied_at", to_rfc3339(chat.linked_at)}};
}

/// GET chats. 200 the chats that speak for the caller, the latest first, and the bot: null without
/// one.
asio::awaitable<http::response> list_chats(http::request_context& ctx, chat_service& service) {
    const auto tied = co_await service.chats.list(ctx.caller(), ctx.database_by());
    auto views = json::array();
    for (const auto& chat : tied) views.push_back(chat_view(chat));
    json body{{"bot", nullptr}, {"chats", std::move(views)}};
    if (const auto username = service.bot_username()) body["bot"] = {{"username", *username}};
    co_return ctx.json(http::status::ok, body);
}

/// POST chats/codes. 201 a code that ties one chat, this once; 409 there is no bot.
asio::awaitable<http::response> make_code(http::request_context& ctx, chat_service& service) {
    const auto username = service.bot_username();
    if (!username) {
        co_return ctx.problem(
            http::status::conflict, "this server has no chat bot; whoever runs it can set one up");
    }
    const auto made = co_await service.chats.make_code(ctx.caller(), ctx.database_by());
    json body{{"code", made.code}, {"expires_at", to_rfc3339(made.expires_at)}};
    if (!username->empty()) body["link"] = chat_link(*username, made.code);
    co_return ctx.json(http::status::created, body);
}

/// DELETE chats/{id}: the chat speaks for the caller no longer, at once. 204; 404.
asio::awaitable<http::response> unlink_chat(http::request_context& ctx, chat_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const bool untied =
        co_await service.chats.unlink(ctx.caller(), chats::chat_link_id{*id}, ctx.database_by());
    if (!untied) co_return ctx.problem(error{errc::not_found});
    co_return ctx.no_content();
}

constexpr auto chat_routes = std::to_array<http::route<chat_service>>({
    {http::verb::get, "/chats", &list_chats},
    {http::verb::post, "/chats/codes", &make_code},
    {http::verb::remove, "/chats/{id}", &unlink_chat},
});

}  // namespace

void add_chat_routes(http::router& router, std::string_view gated, chat_service& service) {
    router.add(chat_routes, service, gated);
}

std::string chat_link(std::string_view bot_username, std::string_view code) {
    return fmt::format("https://t.me/{}?start={}", bot_username, code);
}

}  // namespace reelsd::dashboard
