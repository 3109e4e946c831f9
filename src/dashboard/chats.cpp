#include "resources.hpp"
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
        {"linked_at", to_rfc3339(chat.linked_at)}};
}

/// GET chats. 200 the chats linked to the caller, the latest first, and the bot, if any.
asio::awaitable<http::response> list_chats(http::request_context& ctx, chat_service& service) {
    const auto linked = co_await service.chats.list(ctx.caller(), ctx.database_by());
    auto views = json::array();
    for (const auto& chat : linked) views.push_back(chat_view(chat));
    json body{{"bot", nullptr}, {"chats", std::move(views)}};
    if (const auto username = service.bot_username()) body["bot"] = {{"username", *username}};
    co_return ctx.json(http::status::ok, body);
}

/// POST chats/codes. 201 a code that links one chat, once; 409 there is no bot.
asio::awaitable<http::response> make_code(http::request_context& ctx, chat_service& service) {
    const auto username = service.bot_username();
    if (!username) {
        co_return ctx.problem(
            http::status::conflict, "this server has no chat bot; its operator can set one up");
    }
    const auto issued = co_await service.chats.make_code(ctx.caller(), ctx.database_by());
    json body{{"code", issued.code}, {"expires_at", to_rfc3339(issued.expires_at)}};
    if (!username->empty())
        body["link"] = fmt::format("https://t.me/{}?start={}", *username, issued.code);
    co_return ctx.json(http::status::created, body);
}

/// DELETE chats/{id}: unlinks the chat, effective immediately. 204; 404.
asio::awaitable<http::response> unlink_chat(http::request_context& ctx, chat_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const bool unlinked =
        co_await service.chats.unlink(ctx.caller(), chats::chat_link_id{*id}, ctx.database_by());
    if (!unlinked) co_return ctx.problem(error{errc::not_found});
    co_return ctx.no_content();
}

constexpr auto chat_routes = std::to_array<http::route<chat_service>>({
    {http::verb::get, "/chats", &list_chats},
    {http::verb::post, "/chats/codes", &make_code},
    {http::verb::remove, "/chats/{id}", &unlink_chat},
});

}  // namespace

void add_chat_routes(http::router& router, std::string_view prefix, chat_service& service) {
    router.add(chat_routes, service, prefix);
}

}  // namespace reelsd::dashboard
