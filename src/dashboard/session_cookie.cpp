#include "session_cookie.hpp"

#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/domain/accounts/session_store.hpp>

#include <fmt/format.h>

namespace reelsd::dashboard {
namespace {

constexpr std::string_view cookie_name = "reelsd_session";

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::string cookie(std::string_view value, std::chrono::seconds life, bool is_secure) {
    return fmt::format(
        "{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
        cookie_name,
        value,
        life.count(),
        is_secure ? "; Secure" : "");
}

}  // namespace

std::optional<std::string_view> session_secret_in(std::string_view cookie_header) {
    while (!cookie_header.empty()) {
        const auto end = cookie_header.find(';');
        const auto pair = trimmed(cookie_header.substr(0, end));
        const auto equals = pair.find('=');
        const bool is_ours =
            equals != std::string_view::npos && pair.substr(0, equals) == cookie_name;
        if (is_ours && accounts::hash_of_secret(pair.substr(equals + 1))) {
            return pair.substr(equals + 1);
        }
        if (end == std::string_view::npos) break;
        cookie_header.remove_prefix(end + 1);
    }
    return std::nullopt;
}

std::string session_cookie(std::string_view secret, bool is_secure) {
    return cookie(secret, accounts::session_life_max, is_secure);
}

std::string ended_session_cookie(bool is_secure) {
    return cookie("", std::chrono::seconds{0}, is_secure);
}

std::string csrf_token_of(std::string_view session_secret) {
    const auto hash = accounts::sha256_of(fmt::format("reelsd csrf {}", session_secret));
    std::string text;
    for (const auto byte : hash) text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace reelsd::dashboard
