#include "resources.hpp"
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/domain/accounts/password.hpp>
#include <reelsd/http/router.hpp>

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <variant>

namespace reelsd::dashboard {
namespace {

using std::chrono::steady_clock;

/// More than any typed password.
constexpr std::size_t password_bytes_max = 1024;

/// Whether the public origin uses HTTPS.
bool is_secure(const sign_in_service& service) {
    return service.accounts.origin().starts_with("https://");
}

json session_view(const http::caller_identity& caller, const sign_in_service& service) {
    return {
        {"account",
         {{"id", caller.account.value}, {"email", caller.email}, {"is_admin", caller.is_admin}}},
        {"csrf_token", caller.csrf_token},
        {"expires_at", to_rfc3339(caller.session_ends_at)},
        {"analyzers", service.analyzers.names},
        {"version", REELSD_VERSION}};
}

http::response too_many_attempts(const http::request_context& ctx, int seconds) {
    return ctx.problem(
        error_reason::rate_limit_sign_in,
        fmt::format("too many attempts to sign in; try again in {} s", seconds),
        seconds);
}

http::response wrong_password(const http::request_context& ctx) {
    // One text for both, so that it does not reveal which accounts exist.
    return ctx.unauthorized(
        error_reason::credentials_invalid, "wrong e-mail address or password", session_challenge);
}

enum class password_check : std::uint8_t { right, wrong };

/// Takes as long for an unknown account as for a known one.
awaitable<result<password_check>> check_password(
    http::request_context& ctx, sign_in_service& service,
    const std::optional<accounts::credentials>& known, const std::string& password) {
    const auto compare = [&known, &password] {
        const auto& stored = known ? known->password_hash : accounts::unmatchable_password_hash();
        const bool matches = accounts::matches_password(stored, password);
        return matches && known ? password_check::right : password_check::wrong;
    };
    auto checked = co_await service.offload.run(ctx.answer_by(), compare);
    ctx.restart_database_time();
    co_return checked;
}

/// The browser's proof that it has signed in to the account before; empty without one.
awaitable<std::string> known_device(
    http::request_context& ctx, sign_in_service& service, const std::string& email) {
    const auto proof = device_proof_in(ctx.header("Cookie").value_or(""), is_secure(service));
    if (!proof) co_return std::string{};
    const auto known =
        co_await service.accounts.sessions.find_credentials(email, ctx.database_by());
    const bool holds = known && proves_device(*proof, known->password_hash);
    co_return holds ? std::string{*proof} : std::string{};
}

/// Begins a session and responds with its view and cookies; 401 when the password has changed.
awaitable<http::response> begin_session(
    http::request_context& ctx, sign_in_service& service, accounts::credentials verified) {
    const auto by = ctx.database_by();
    const auto proof = new_device_proof(verified.password_hash);
    const auto program = ctx.header("User-Agent").value_or("");
    std::string user_agent{is_utf8(program) ? program : ""};
    const auto secret =
        co_await service.accounts.sessions.begin(std::move(verified), by, std::move(user_agent));
    if (!secret) co_return wrong_password(ctx);
    auto begun = co_await service.accounts.sessions.find(accounts::sha256_of(*secret), by);
    if (!begun) co_return wrong_password(ctx);  // The account has just been disabled.
    const auto caller = identity_of(*std::move(begun), *secret);
    auto answer = ctx.json(http::status::ok, session_view(caller, service));
    answer.add("Set-Cookie", session_cookie(*secret, is_secure(service)));
    answer.add("Set-Cookie", device_cookie(proof, is_secure(service)));
    co_return answer;
}

/// Argon2id off the event loop. Errors: `limit_reached` or `timed_out` when too many are waiting.
awaitable<result<std::string>> hash_off_loop(
    http::request_context& ctx, sign_in_service& service, const std::string& password) {
    const auto hash = [&password] { return accounts::hash_password(password); };
    auto hashed = co_await service.offload.run(ctx.answer_by(), hash);
    ctx.restart_database_time();
    co_return hashed;
}

/// The caller's credentials if the password matches, else the response: 400, or 429 after too many
/// attempts.
awaitable<std::variant<accounts::credentials, http::response>> confirm_password(
    http::request_context& ctx, sign_in_service& service, const std::string& password) {
    const auto& caller = ctx.identity();
    // Attempts are counted by session, so that other browsers do not affect them.
    const guess attempted{
        .email = caller.email, .remote = ctx.request().remote, .device = caller.csrf_token};
    const int wait = service.throttle.take(attempted, steady_clock::now());
    if (wait > 0) co_return too_many_attempts(ctx, wait);
    taken_attempt attempt{service.throttle, attempted};
    auto known =
        co_await service.accounts.sessions.find_credentials(caller.account, ctx.database_by());
    attempt.use();
    const auto checked = co_await check_password(ctx, service, known, password);
    if (!checked) co_return ctx.problem(checked.error());
    if (*checked == password_check::wrong) {
        co_return ctx.problem(http::status::bad_request, "the current password is wrong");
    }
    attempt.give_back();
    co_return *std::move(known);
}

/// POST /dashboard/sign-in {"email", "password"}. 200 the session; 401; 429 after too many guesses.
awaitable<http::response> sign_in(http::request_context& ctx, sign_in_service& service) {
    if (auto refused = refuse_other_sites(ctx, service.accounts.origin()))
        co_return *std::move(refused);
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto email = text_in(*body, "email", email_bytes_max);
    if (!email) co_return ctx.problem(email.error());
    const auto password = text_in(*body, "password", password_bytes_max);
    if (!password) co_return ctx.problem(password.error());

    auto device = co_await known_device(ctx, service, *email);
    const guess attempted{
        .email = *email, .remote = ctx.request().remote, .device = std::move(device)};
    const int wait = service.throttle.take(attempted, steady_clock::now());
    if (wait > 0) co_return too_many_attempts(ctx, wait);
    taken_attempt attempt{service.throttle, attempted};
    const auto known =
        co_await service.accounts.sessions.find_credentials(*email, ctx.database_by());
    attempt.use();
    const auto checked = co_await check_password(ctx, service, known, *password);
    if (!checked) co_return ctx.problem(checked.error());
    if (*checked == password_check::wrong) {
        service.accounts.log.warning(
            "sign-in refused", {{"remote", attempted.remote}, {"request", ctx.request().id}});
        co_return wrong_password(ctx);
    }
    attempt.give_back();
    co_return co_await begin_session(ctx, service, *known);
}

/// GET session. 200 the session.
awaitable<http::response> get_session(http::request_context& ctx, sign_in_service& service) {
    co_return ctx.json(http::status::ok, session_view(ctx.identity(), service));
}

/// POST sign-out. 204.
awaitable<http::response> sign_out(http::request_context& ctx, sign_in_service& service) {
    const auto secret = session_secret_in(ctx.header("Cookie").value_or(""), is_secure(service));
    if (secret)
        co_await service.accounts.sessions.end(accounts::sha256_of(*secret), ctx.database_by());
    auto answer = ctx.no_content();
    answer.add("Set-Cookie", ended_session_cookie(is_secure(service)));
    co_return answer;
}

accounts::secret_hash current_session(http::request_context& ctx, sign_in_service& service) {
    const auto secret = session_secret_in(ctx.header("Cookie").value_or(""), is_secure(service));
    return accounts::sha256_of(secret.value_or(""));
}

/// GET sessions. 200 the account's sessions, the last used first.
awaitable<http::response> list_sessions(http::request_context& ctx, sign_in_service& service) {
    auto views = json::array();
    const auto sessions = co_await service.accounts.sessions.list(
        ctx.caller(), current_session(ctx, service), ctx.database_by());
    for (const auto& session : sessions) {
        views.push_back(
            {{"id", session.id},
             {"is_current", session.is_current},
             {"user_agent", session.user_agent},
             {"created_at", to_rfc3339(session.created_at)},
             {"last_seen_at", to_rfc3339(session.last_seen_at)},
             {"expires_at", to_rfc3339(session.expires_at)}});
    }
    co_return ctx.json(http::status::ok, views);
}

/// DELETE sessions/{id}. 204; 404.
awaitable<http::response> end_session(http::request_context& ctx, sign_in_service& service) {
    std::optional<std::string> id{ctx.path_parameter("id")};
    const auto ended = co_await service.accounts.sessions.end_others(
        ctx.caller(), std::move(id), current_session(ctx, service), ctx.database_by());
    co_return ended > 0 ? ctx.no_content() : ctx.problem(error{errc::not_found});
}

/// DELETE sessions: all but the request's. 200 {"ended"}.
awaitable<http::response> end_other_sessions(http::request_context& ctx, sign_in_service& service) {
    const auto ended = co_await service.accounts.sessions.end_others(
        ctx.caller(), std::nullopt, current_session(ctx, service), ctx.database_by());
    co_return ctx.json(http::status::ok, json{{"ended", ended}});
}

/// POST password {"current_password", "new_password"}. 200 a new session, all others have ended;
/// 400 the current password is wrong or the new one invalid; 409 another request changed it;
/// 429.
awaitable<http::response> change_password(http::request_context& ctx, sign_in_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto current = text_in(*body, "current_password", password_bytes_max);
    if (!current) co_return ctx.problem(current.error());
    const auto password = text_in(*body, "new_password", password_bytes_max);
    if (!password) co_return ctx.problem(password.error());
    const auto& caller = ctx.identity();
    const auto sound = accounts::check_new_password(*password, caller.email);
    if (!sound) co_return ctx.problem(sound.error());

    auto confirmed = co_await confirm_password(ctx, service, *current);
    if (auto* const refused = std::get_if<http::response>(&confirmed)) {
        co_return std::move(*refused);
    }
    const auto& known = std::get<accounts::credentials>(confirmed);
    auto hash = co_await hash_off_loop(ctx, service, *password);
    if (!hash) co_return ctx.problem(hash.error());
    const accounts::credentials next{.account = caller.account, .password_hash = *std::move(hash)};
    const bool changed = co_await service.accounts.sessions.change_password(
        known, next.password_hash, ctx.database_by());
    if (!changed) {
        co_return ctx.problem(
            http::status::conflict, "the password was changed by another request; sign in again");
    }
    co_return co_await begin_session(ctx, service, next);
}

/// POST account/deletion {"password"}. 204 the account is being deleted and its sessions have
/// ended; 400 the password is wrong; 409 the caller is the only administrator; 429.
awaitable<http::response> delete_own_account(http::request_context& ctx, sign_in_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto password = text_in(*body, "password", password_bytes_max);
    if (!password) co_return ctx.problem(password.error());
    auto confirmed = co_await confirm_password(ctx, service, *password);
    if (auto* const refused = std::get_if<http::response>(&confirmed)) {
        co_return std::move(*refused);
    }
    const auto& verified = std::get<accounts::credentials>(confirmed);
    const auto begun = co_await service.accounts.retention.begin_erasure(
        verified.account, verified.password_hash, ctx.database_by());
    if (!begun) co_return erasure_refusal(ctx, begun.error());
    service.accounts.log.info("account deletion requested", {{"account", verified.account.value}});
    auto answer = ctx.no_content();
    answer.add("Set-Cookie", ended_session_cookie(is_secure(service)));
    co_return answer;
}

http::response no_longer_valid(const http::request_context& ctx) {
    return ctx.problem(
        http::status::not_found,
        "this link is no longer valid: it was used, was replaced by a newer one, or has expired");
}

/// Hash of the secret in the body; empty when it cannot be one.
result<std::optional<accounts::secret_hash>> invited_by(const json& body) {
    const auto secret = text_in(body, "token", password_bytes_max);
    if (!secret) return secret.error();
    return accounts::hash_of_secret(*secret);
}

/// The account's address; that of the first administrator is in the body.
result<std::string> address_for(const accounts::invitation_purpose& purpose, const json& body) {
    if (purpose.email) return *purpose.email;
    return text_in(body, "email", email_bytes_max);
}

/// POST /dashboard/invitation {"token"}. 200 its purpose; 404. A POST keeps the secret out of
/// addresses and logs.
awaitable<http::response> look_at_invitation(http::request_context& ctx, sign_in_service& service) {
    if (auto refused = refuse_other_sites(ctx, service.accounts.origin()))
        co_return *std::move(refused);
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto hash = invited_by(*body);
    if (!hash) co_return ctx.problem(hash.error());
    if (!*hash) co_return no_longer_valid(ctx);
    const auto purpose = co_await service.accounts.sessions.look_at(**hash, ctx.database_by());
    if (!purpose) co_return no_longer_valid(ctx);
    json view{{"purpose", purpose->email ? "account" : "first_administrator"}};
    if (purpose->email) view["email"] = *purpose->email;
    co_return ctx.json(http::status::ok, view);
}

/// POST /dashboard/invitation/accept {"token", "email" for the first administrator, "password"}.
/// 200 a session; 400; 404; 409 the address has an account that can sign in.
awaitable<http::response> accept_invitation(http::request_context& ctx, sign_in_service& service) {
    if (auto refused = refuse_other_sites(ctx, service.accounts.origin()))
        co_return *std::move(refused);
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto hash = invited_by(*body);
    if (!hash) co_return ctx.problem(hash.error());
    const auto password = text_in(*body, "password", password_bytes_max);
    if (!password) co_return ctx.problem(password.error());
    if (!*hash) co_return no_longer_valid(ctx);
    const auto purpose = co_await service.accounts.sessions.look_at(**hash, ctx.database_by());
    if (!purpose) co_return no_longer_valid(ctx);

    const auto email = address_for(*purpose, *body);
    if (!email) co_return ctx.problem(email.error());
    if (const auto valid = accounts::check_email(*email); !valid) {
        co_return ctx.problem(valid.error());
    }
    const auto sound = accounts::check_new_password(*password, *email);
    if (!sound) co_return ctx.problem(sound.error());
    const auto password_hash = co_await hash_off_loop(ctx, service, *password);
    if (!password_hash) co_return ctx.problem(password_hash.error());

    const auto accepted = co_await service.accounts.sessions.accept(
        **hash, *email, *password_hash, ctx.database_by());
    switch (accepted.outcome) {
        case accounts::acceptance::invalid: co_return no_longer_valid(ctx);
        case accounts::acceptance::taken:
            co_return ctx.problem(
                http::status::conflict, "this address already has an account; sign in with it");
        case accounts::acceptance::accepted: break;
    }
    service.accounts.log.info("invitation accepted", {{"account", accepted.account.value}});
    const accounts::credentials verified{
        .account = accepted.account, .password_hash = *password_hash};
    co_return co_await begin_session(ctx, service, verified);
}

}  // namespace

void add_sign_in_routes(http::router& router, std::string_view prefix, sign_in_service& service) {
    router.add(
        {{http::verb::post, "/dashboard/sign-in", &sign_in},
         {http::verb::post, "/dashboard/invitation", &look_at_invitation},
         {http::verb::post, "/dashboard/invitation/accept", &accept_invitation}},
        service);
    router.add(
        {{http::verb::get, "/session", &get_session},
         {http::verb::post, "/sign-out", &sign_out},
         {http::verb::get, "/sessions", &list_sessions},
         {http::verb::remove, "/sessions", &end_other_sessions},
         {http::verb::remove, "/sessions/{id}", &end_session},
         {http::verb::post, "/password", &change_password},
         {http::verb::post, "/account/deletion", &delete_own_account}},
        service,
        prefix);
}

http::response erasure_refusal(const http::request_context& ctx, const error& why) {
    if (why.code() != errc::conflict) return ctx.problem(error{errc::not_found});
    return ctx.problem(http::status::conflict, why.detail());
}

std::string invitation_link(std::string_view origin, std::string_view secret) {
    return fmt::format("{}/join#{}", origin, secret);
}

}  // namespace reelsd::dashboard
