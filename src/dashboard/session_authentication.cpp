#include "session_authentication.hpp"

#include <reelsd/base/text.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <fmt/format.h>

namespace reelsd::dashboard {
namespace {

http::response sign_in_required(const http::request_context& ctx) {
    return ctx.unauthorized(
        error_reason::session_required, "sign in to the dashboard first", session_challenge);
}

bool changes_something(http::verb method) {
    return method != http::verb::get && method != http::verb::head;
}

constexpr std::string_view session_name = "reelsd_session";
constexpr std::string_view device_name = "reelsd_device";
/// Browsers limit the age of cookies to 400 days.
constexpr std::chrono::hours device_life{24 * 400};

std::string full_name(std::string_view name, bool is_secure) {
    return fmt::format("{}{}", is_secure ? "__Host-" : "", name);
}

std::string cookie(
    std::string_view name, std::string_view value, std::chrono::seconds life, bool is_secure) {
    return fmt::format(
        "{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
        full_name(name, is_secure),
        value,
        life.count(),
        is_secure ? "; Secure" : "");
}

/// The only value of the cookie `name` for which `fits` is true.
template <class Fits>
std::optional<std::string_view> only_value(
    std::string_view cookie_header, const std::string& name, const Fits& fits) {
    std::optional<std::string_view> only;
    while (!cookie_header.empty()) {
        const auto end = cookie_header.find(';');
        const auto pair = trimmed(cookie_header.substr(0, end), " ");
        cookie_header.remove_prefix(end == std::string_view::npos ? cookie_header.size() : end + 1);
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
        const auto value = pair.substr(equals + 1);
        if (!fits(value)) continue;
        if (only) return std::nullopt;
        only = value;
    }
    return only;
}

std::string hex_of(const accounts::secret_hash& hash) {
    return fmt::format("{:02x}", fmt::join(hash, ""));
}

/// The random part is last and has a fixed length, so that nothing can be appended to the hashed
/// text.
std::string device_mark(std::string_view password_hash, std::string_view random) {
    return hex_of(accounts::sha256_of(fmt::format("reelsd device {} {}", password_hash, random)));
}

constexpr char proof_separator = '.';

bool is_device_proof(std::string_view text) {
    constexpr std::size_t mark_size = 64;
    const auto separator = text.find(proof_separator);
    return separator != std::string_view::npos &&
           accounts::hash_of_secret(text.substr(0, separator)) &&
           text.size() - separator - 1 == mark_size;
}

/// The authority of "http://host:1" is "host:1".
std::string_view authority_of(std::string_view origin) {
    const auto scheme_end = origin.find("://");
    return scheme_end == std::string_view::npos ? origin : origin.substr(scheme_end + 3);
}

bool is_from_other_site(const http::request_context& ctx, std::string_view own_origin) {
    if (const auto site = ctx.header("Sec-Fetch-Site")) {
        return *site != "same-origin" && *site != "none";
    }
    const auto origin = ctx.header("Origin");
    if (!origin || *origin == own_origin) return false;
    return authority_of(*origin) != ctx.header("Host").value_or("");
}

/// True even with parameters, such as "; charset=utf-8", and in any letter case.
bool is_json(std::string_view content_type) {
    auto type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    return equals_ignoring_case(type, "application/json");
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

awaitable<std::optional<http::response>> session_authentication::authenticate(
    http::request_context& ctx) {
    const auto secret =
        session_secret_in(ctx.header("Cookie").value_or(""), origin_().starts_with("https://"));
    const auto hash = secret ? accounts::hash_of_secret(*secret) : std::nullopt;
    if (!hash) co_return sign_in_required(ctx);
    auto session = co_await sessions_.find(*hash, ctx.database_by());
    if (!session) co_return sign_in_required(ctx);
    ctx.set_caller(identity_of(*std::move(session), *secret));
    co_return std::nullopt;
}

awaitable<std::optional<http::response>> session_authentication::authenticate_administrator(
    http::request_context& ctx) {
    auto refused = co_await authenticate(ctx);
    if (refused) co_return refused;
    if (!ctx.identity().is_admin) co_return ctx.problem(error{errc::not_found});
    co_return std::nullopt;
}

awaitable<std::optional<http::response>> session_authentication::accept(
    http::request_context& ctx) const {
    if (!changes_something(ctx.request().method)) co_return std::nullopt;
    if (auto refused = refuse_other_sites(ctx, origin_())) co_return refused;
    if (ctx.header("X-CSRF-Token").value_or("") != ctx.identity().csrf_token) {
        co_return ctx.problem(
            http::status::forbidden, "the header X-CSRF-Token is missing or of another session");
    }
    co_return std::nullopt;
}

std::optional<std::string_view> session_secret_in(std::string_view cookie_header, bool is_secure) {
    return only_value(
        cookie_header, full_name(session_name, is_secure), [](std::string_view value) {
            return accounts::hash_of_secret(value).has_value();
        });
}

std::string session_cookie(std::string_view secret, bool is_secure) {
    return cookie(session_name, secret, accounts::session_life_max, is_secure);
}

std::string ended_session_cookie(bool is_secure) {
    return cookie(session_name, "", std::chrono::seconds{0}, is_secure);
}

std::string new_device_proof(std::string_view password_hash) {
    const auto random = accounts::generate_secret();
    return fmt::format("{}{}{}", random, proof_separator, device_mark(password_hash, random));
}

bool proves_device(std::string_view proof, std::string_view password_hash) {
    if (!is_device_proof(proof)) return false;
    const auto random = proof.substr(0, proof.find(proof_separator));
    // Compares hashes, so that the time reveals nothing about the mark.
    const auto given = accounts::sha256_of(proof.substr(random.size() + 1));
    return given == accounts::sha256_of(device_mark(password_hash, random));
}

std::optional<std::string_view> device_proof_in(std::string_view cookie_header, bool is_secure) {
    return only_value(cookie_header, full_name(device_name, is_secure), is_device_proof);
}

std::string device_cookie(std::string_view proof, bool is_secure) {
    return cookie(device_name, proof, device_life, is_secure);
}

std::string csrf_token_of(std::string_view session_secret) {
    return hex_of(accounts::sha256_of(fmt::format("reelsd csrf {}", session_secret)));
}

result<std::string> text_in(const json& body, std::string_view name, std::size_t bytes_max) {
    const auto member = body.find(name);
    if (member == body.end() || !member->is_string()) {
        return error{errc::invalid_argument, fmt::format("{} must be a string", name)};
    }
    auto text = member->get<std::string>();
    if (text.size() > bytes_max) {
        return error{
            errc::invalid_argument, fmt::format("{} has more than {} bytes", name, bytes_max)};
    }
    // PostgreSQL cannot store it.
    if (text.find('\0') != std::string::npos) {
        return error{errc::invalid_argument, fmt::format("{} must not contain U+0000", name)};
    }
    return text;
}

result<std::optional<bool>> flag_in(const json& body, std::string_view name) {
    const auto member = body.find(name);
    if (member == body.end()) return std::optional<bool>{};
    if (!member->is_boolean()) {
        return error{errc::invalid_argument, fmt::format("{} must be true or false", name)};
    }
    return std::optional{member->get<bool>()};
}

std::optional<http::response> refuse_other_sites(
    const http::request_context& ctx, std::string_view own_origin) {
    if (is_from_other_site(ctx, own_origin)) {
        return ctx.problem(
            http::status::forbidden, "only pages of the dashboard may send this request");
    }
    const auto type = ctx.header("Content-Type").value_or("");
    if (!ctx.request().body.empty() && !is_json(type)) {
        return ctx.problem(
            http::status::unsupported_media_type, "the body must be application/json");
    }
    return std::nullopt;
}

}  // namespace reelsd::dashboard
