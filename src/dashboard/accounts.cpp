#include "resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/domain/accounts/password.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reelsd::dashboard {
namespace {

using limit_change = accounts::account_changes::limit;

constexpr int accounts_usual = 100;
constexpr int accounts_most = 500;

http::response not_found(const http::request_context& ctx) {
    return ctx.problem(error{errc::not_found});
}

json limit_view(const std::optional<int>& own) {
    return own ? json(*own) : json(nullptr);
}

/// Appends the amounts as text, because the JSON library converts decimals to binary fractions.
std::string account_view(const accounts::account_summary& account) {
    json view{
        {"id", account.id.value},
        {"email", account.email},
        {"is_admin", account.is_admin},
        {"can_sign_in", account.can_sign_in},
        {"created_at", to_rfc3339(account.created_at)},
        {"reels", account.reels},
        {"submissions_per_minute", limit_view(account.limits.submissions_per_minute)},
        {"concurrent_jobs", limit_view(account.limits.concurrent_jobs)},
        {"requests_per_minute", limit_view(account.limits.requests_per_minute)},
        {"queued_jobs", limit_view(account.limits.queued_jobs)}};
    if (account.disabled_at) view["disabled_at"] = to_rfc3339(*account.disabled_at);
    if (account.leaving_at) view["leaving_at"] = to_rfc3339(*account.leaving_at);
    if (account.invited_until) view["invited_until"] = to_rfc3339(*account.invited_until);
    if (account.last_seen_at) view["last_seen_at"] = to_rfc3339(*account.last_seen_at);
    auto text = dumped(view);
    text.pop_back();  // The closing brace.
    return fmt::format(
        R"({},"monthly_budget_usd":{},"spent_this_month_usd":{}}})",
        text,
        account.limits.monthly_budget_usd.value_or("null"),
        account.spent_this_month_usd);
}

/// GET admin/accounts?limit=&cursor=. 200 accounts by e-mail address, with the next page in the
/// header `Link`; 400. The cursor is the last address of a page.
awaitable<http::response> list_accounts(http::request_context& ctx, account_service& service) {
    const auto limit = http::requested_limit(ctx.query("limit"), accounts_usual, accounts_most);
    if (!limit) co_return ctx.problem(limit.error());
    accounts::account_filter filter{.accounts_max = *limit};
    if (const auto cursor = ctx.query("cursor")) {
        if (const auto valid = accounts::check_email(*cursor); !valid) {
            co_return ctx.problem(
                error{errc::invalid_argument, "cursor was not issued by this service"});
        }
        filter.after = *cursor;
    }
    const auto page = co_await service.accounts.list(std::move(filter), ctx.database_by());
    std::vector<std::string> views;
    for (const auto& account : page.accounts) views.push_back(account_view(account));
    auto answer = ctx.json_text(http::status::ok, fmt::format("[{}]", fmt::join(views, ",")));
    if (page.next) {
        answer.set(
            "Link",
            fmt::format(
                "<{}?limit={}&cursor={}>; rel=\"next\"",
                ctx.route(),
                *limit,
                percent_encoded(*page.next)));
    }
    co_return answer;
}

/// GET admin/defaults. 200 the limits of accounts without their own.
awaitable<http::response> get_defaults(http::request_context& ctx, account_service& service) {
    co_return ctx.json(
        http::status::ok,
        json{
            {"submissions_per_minute", service.limits.submissions_per_minute},
            {"concurrent_jobs", service.limits.concurrent_jobs},
            {"requests_per_minute", service.limits.requests_per_minute},
            {"queued_jobs", service.limits.queued_jobs}});
}

/// GET limits. 200 the limits of the caller's account, and its use of those that count reels.
awaitable<http::response> get_limits(http::request_context& ctx, account_service& service) {
    accounts::account_filter filter{.only = ctx.caller(), .accounts_max = 1};
    const auto page = co_await service.accounts.list(std::move(filter), ctx.database_by());
    if (page.accounts.empty()) co_return not_found(ctx);
    const auto& own = page.accounts.front();
    const auto active =
        co_await service.accounts.count_active_jobs(ctx.caller(), ctx.database_by());
    const auto& usual = service.limits;
    const auto& limits = own.limits;
    co_return ctx.json(
        http::status::ok,
        json{
            {"reels", own.reels},
            {"active_jobs", active},
            {"concurrent_jobs", limits.concurrent_jobs.value_or(usual.concurrent_jobs)},
            {"queued_jobs", limits.queued_jobs.value_or(usual.queued_jobs)},
            {"submissions_per_minute",
             limits.submissions_per_minute.value_or(usual.submissions_per_minute)},
            {"requests_per_minute", limits.requests_per_minute.value_or(usual.requests_per_minute)},
            {"video_seconds_max", usual.video_seconds_max.count()},
            {"video_bytes_max", usual.video_bytes_max}});
}

/// Creates a link that sets the account's password, and returns its view.
awaitable<json> invite(account_service& service, account_id account, deadline by) {
    const auto invitation = co_await service.sessions.invite(account, by);
    co_return json{
        {"link", invitation_link(service.origin(), invitation.secret)},
        {"expires_at", to_rfc3339(invitation.expires_at)}};
}

/// POST admin/accounts {"email", "is_admin"?}. 201 the account with its link; 400; 409.
awaitable<http::response> create_account(http::request_context& ctx, account_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto email = text_in(*body, "email", email_bytes_max);
    if (!email) co_return ctx.problem(email.error());
    if (const auto valid = accounts::check_email(*email); !valid) {
        co_return ctx.problem(valid.error());
    }
    const auto is_admin = flag_in(*body, "is_admin");
    if (!is_admin) co_return ctx.problem(is_admin.error());
    const auto role =
        is_admin->value_or(false) ? accounts::role::administrator : accounts::role::member;
    const auto by = ctx.database_by();
    const auto account = co_await service.accounts.create(*email, role, by);
    if (!account) co_return ctx.problem(http::status::conflict, account.error().detail());
    auto view = co_await invite(service, *account, by);
    view["id"] = account->value;
    view["email"] = *email;
    co_return ctx.json(http::status::created, view);
}

/// POST admin/accounts/{id}/invitation. 201 a link that sets a password and replaces older ones;
/// 404; 409 the account is disabled.
awaitable<http::response> invite_account(http::request_context& ctx, account_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto by = ctx.database_by();
    const auto known = co_await service.accounts.list({.only = account_id{*id}}, by);
    if (known.accounts.empty()) co_return not_found(ctx);
    if (known.accounts.front().disabled_at) {
        co_return ctx.problem(http::status::conflict, "the account is disabled: enable it first");
    }
    const auto view = co_await invite(service, account_id{*id}, by);
    co_return ctx.json(http::status::created, view);
}

/// PATCH admin/accounts/{id}. 200 the account; 400; 404; 409 no administrator would be left.
awaitable<http::response> change_account(http::request_context& ctx, account_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto changes = requested_changes(*body);
    if (!changes) co_return ctx.problem(changes.error());
    if (account_id{*id} == ctx.caller() && changes->disabled.value_or(false)) {
        co_return ctx.problem(http::status::conflict, "you cannot disable your own account");
    }
    const auto by = ctx.database_by();
    const auto changed = co_await service.accounts.change(account_id{*id}, *changes, by);
    if (!changed && changed.error().code() == errc::conflict) {
        co_return ctx.problem(http::status::conflict, changed.error().detail());
    }
    if (!changed) co_return not_found(ctx);
    service.log.info("account changed", {{"account", *id}, {"administrator", ctx.caller().value}});
    const auto page = co_await service.accounts.list({.only = account_id{*id}}, by);
    if (page.accounts.empty()) co_return not_found(ctx);
    co_return ctx.json_text(http::status::ok, account_view(page.accounts.front()));
}

/// DELETE admin/accounts/{id}. 204 the account is being deleted and its sessions have ended; 404;
/// 409 it is the caller's own.
awaitable<http::response> delete_account(http::request_context& ctx, account_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    if (account_id{*id} == ctx.caller()) {
        co_return ctx.problem(
            http::status::conflict, "this is your own account; delete it on the page Account");
    }
    const auto begun =
        co_await service.retention.begin_erasure(account_id{*id}, std::nullopt, ctx.database_by());
    if (!begun) co_return erasure_refusal(ctx, begun.error());
    service.log.info(
        "account deleted by administrator",
        {{"account", *id}, {"administrator", ctx.caller().value}});
    co_return ctx.no_content();
}

result<limit_change> limit_in(const json& body, const char* name, int most) {
    const auto member = body.find(name);
    if (member == body.end()) return limit_change{};
    if (member->is_null()) return limit_change{std::optional<int>{}};
    const bool fits = member->is_number_integer() && *member >= 1 && *member <= most;
    if (fits) return limit_change{std::optional{member->get<int>()}};
    return error{
        errc::invalid_argument,
        fmt::format("{} must be a whole number from 1 to {}, or null", name, most)};
}

/// Dollars with at most six decimals. JSON numbers arrive as binary fractions; rounding restores
/// the decimal input.
result<std::optional<std::optional<std::string>>> budget_in(const json& body) {
    constexpr double dollars_max = 1e9;
    using budget = std::optional<std::optional<std::string>>;
    const auto member = body.find("monthly_budget_usd");
    if (member == body.end()) return budget{};
    if (member->is_null()) return budget{std::optional<std::string>{}};
    const bool fits = member->is_number() && *member >= 0 && *member <= dollars_max;
    if (fits) return budget{std::optional{fmt::format("{:.6f}", member->get<double>())}};
    return error{
        errc::invalid_argument,
        "monthly_budget_usd must be a number of dollars from 0 to 1000000000, or null"};
}

constexpr std::size_t name_bytes_max = 400;  // 100 characters, as the database counts.

json token_view(const accounts::token_summary& token) {
    json view{
        {"id", token.id.value},
        {"name", token.name},
        {"prefix", token.prefix},
        {"created_at", to_rfc3339(token.created_at)}};
    if (token.last_used_at) view["last_used_at"] = to_rfc3339(*token.last_used_at);
    if (token.revoked_at) view["revoked_at"] = to_rfc3339(*token.revoked_at);
    view["scope"] = name_of(token.scope);
    if (token.expires_at) view["expires_at"] = to_rfc3339(*token.expires_at);
    return view;
}

/// GET tokens. 200 the caller's tokens, the newest first.
awaitable<http::response> list_tokens(
    http::request_context& ctx, accounts::account_store& accounts) {
    auto tokens = co_await accounts.tokens(ctx.caller(), ctx.database_by());
    std::reverse(tokens.begin(), tokens.end());
    auto views = json::array();
    for (const auto& token : tokens) views.push_back(token_view(token));
    co_return ctx.json(http::status::ok, views);
}

result<accounts::token_options> token_options_in(const json& body) {
    accounts::token_options options;
    if (const auto member = body.find("scope"); member != body.end()) {
        const auto scope =
            enum_from<token_scope>(member->is_string() ? member->get<std::string>() : "");
        if (!scope) return error{errc::invalid_argument, "scope must be one of all, read, submit"};
        options.scope = *scope;
    }
    const auto life = body.find("expires_in_seconds");
    if (life == body.end() || life->is_null()) return options;
    const bool fits =
        life->is_number_integer() && *life >= 1 && *life <= accounts::token_life_max.count();
    if (!fits)
        return error{
            errc::invalid_argument, "expires_in_seconds must be from 1 to 10 years, or null"};
    options.valid_for = seconds_f{life->get<double>()};
    return options;
}

/// POST tokens {"name", "scope"?, "expires_in_seconds"?}. 201 the token, shown only here; 400; 409
/// the name is in use.
awaitable<http::response> create_token(
    http::request_context& ctx, accounts::account_store& accounts) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto name = text_in(*body, "name", name_bytes_max);
    if (!name) co_return ctx.problem(name.error());
    if (const auto valid = accounts::check_token_name(*name); !valid) {
        co_return ctx.problem(valid.error());
    }
    const auto options = token_options_in(*body);
    if (!options) co_return ctx.problem(options.error());
    const auto token =
        co_await accounts.create_token(ctx.caller(), *name, ctx.database_by(), *options);
    if (!token && token.error().code() == errc::conflict) {
        co_return ctx.problem(
            http::status::conflict,
            "a token with this name already exists; revoke it or choose another name");
    }
    if (!token) co_return ctx.problem(token.error());
    auto view = token_view(
        {.id = token->id,
         .name = *name,
         .prefix = accounts::prefix_of_token(token->token),
         .created_at = token->created_at,
         .scope = options->scope,
         .expires_at = token->expires_at});
    view["token"] = token->token;
    co_return ctx.json(http::status::created, view);
}

/// DELETE tokens/{id}: effective immediately. 204; 404.
awaitable<http::response> revoke_token(
    http::request_context& ctx, accounts::account_store& accounts) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto revoked =
        co_await accounts.revoke_token(ctx.caller(), token_id{*id}, ctx.database_by());
    if (!revoked) co_return ctx.problem(error{errc::not_found});
    co_return ctx.no_content();
}

json chat_view(const chats::linked_chat& chat) {
    return {
        {"id", chat.id.value},
        {"kind", chats::name_of(chat.kind)},
        {"name", chat.name},
        {"linked_at", to_rfc3339(chat.linked_at)}};
}

/// GET chats. 200 the chats linked to the caller, the latest first, and the bot, if any.
awaitable<http::response> list_chats(http::request_context& ctx, chat_service& service) {
    const auto linked = co_await service.chats.list(ctx.caller(), ctx.database_by());
    auto views = json::array();
    for (const auto& chat : linked) views.push_back(chat_view(chat));
    json body{{"bot", nullptr}, {"chats", std::move(views)}};
    if (const auto username = service.bot_username()) body["bot"] = {{"username", *username}};
    co_return ctx.json(http::status::ok, body);
}

/// POST chats/codes. 201 a code that links one chat, once; 409 there is no bot.
awaitable<http::response> make_code(http::request_context& ctx, chat_service& service) {
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
awaitable<http::response> unlink_chat(http::request_context& ctx, chat_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const bool unlinked =
        co_await service.chats.unlink(ctx.caller(), chats::chat_link_id{*id}, ctx.database_by());
    if (!unlinked) co_return ctx.problem(error{errc::not_found});
    co_return ctx.no_content();
}

}  // namespace

void add_account_routes(http::router& router, std::string_view prefix, account_service& service) {
    router.add(
        {{http::verb::get, "/limits", &get_limits},
         {http::verb::get, "/admin/defaults", &get_defaults},
         {http::verb::get, "/admin/accounts", &list_accounts},
         {http::verb::post, "/admin/accounts", &create_account},
         {http::verb::patch, "/admin/accounts/{id}", &change_account},
         {http::verb::post, "/admin/accounts/{id}/invitation", &invite_account},
         {http::verb::remove, "/admin/accounts/{id}", &delete_account}},
        service,
        prefix);
}

result<accounts::account_changes> requested_changes(const json& body) {
    accounts::account_changes changes;
    auto disabled = flag_in(body, "disabled");
    if (!disabled) return disabled.error();
    changes.disabled = *disabled;
    auto is_admin = flag_in(body, "is_admin");
    if (!is_admin) return is_admin.error();
    changes.is_admin = *is_admin;

    struct limit_member {
        const char* name;
        int most;
        limit_change& target;
    };
    const std::array members{
        limit_member{"submissions_per_minute", 1'000'000, changes.submissions_per_minute},
        limit_member{"concurrent_jobs", 1'000'000, changes.concurrent_jobs},
        limit_member{"requests_per_minute", 10'000'000, changes.requests_per_minute},
        limit_member{"queued_jobs", 1'000'000, changes.queued_jobs}};
    for (const auto& member : members) {
        auto change = limit_in(body, member.name, member.most);
        if (!change) return change.error();
        member.target = *change;
    }
    auto budget = budget_in(body);
    if (!budget) return budget.error();
    changes.monthly_budget_usd = *std::move(budget);
    return changes;
}

void add_token_routes(
    http::router& router, std::string_view prefix, accounts::account_store& accounts) {
    router.add(
        {{http::verb::get, "/tokens", &list_tokens},
         {http::verb::post, "/tokens", &create_token},
         {http::verb::remove, "/tokens/{id}", &revoke_token}},
        accounts,
        prefix);
}

void add_chat_routes(http::router& router, std::string_view prefix, chat_service& service) {
    router.add(
        {{http::verb::get, "/chats", &list_chats},
         {http::verb::post, "/chats/codes", &make_code},
         {http::verb::remove, "/chats/{id}", &unlink_chat}},
        service,
        prefix);
}

}  // namespace reelsd::dashboard
