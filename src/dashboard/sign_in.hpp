#pragma once

#include "session_authentication.hpp"
#include "sign_in_throttle.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/http/request_context.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <variant>

namespace reelsd::async {
class offload_pool;
}
namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// What the handlers of signing in use. Outlives the router.
struct sign_in_service {
    accounts::session_store sessions;
    async::offload_pool& offload;
    std::function<std::string()> origin;
    log::logger log;
    sign_in_throttle throttle;
};

void add_sign_in_routes(http::router& router, std::string_view gated, sign_in_service& service);

/// Begins a session and answers with its view and cookie; 401 when the password has been changed
/// since it was verified.
[[nodiscard]] boost::asio::awaitable<http::response> begin_session(
    http::request_context& ctx, sign_in_service& service, accounts::credentials verified);

/// The credentials of who is signed in, once he has shown that he knows the password; else the
/// answer: 400 it is wrong, 429 after too many guesses.
[[nodiscard]] boost::asio::awaitable<std::variant<accounts::credentials, http::response>>
confirm_password(http::request_context& ctx, sign_in_service& service, const std::string& password);

/// Whether people come by HTTPS.
[[nodiscard]] bool is_secure(const sign_in_service& service);

/// Argon2id off the loop. Errors: limit_reached or timed_out when too many are waiting.
[[nodiscard]] boost::asio::awaitable<result<std::string>> hash_off_loop(
    http::request_context& ctx, sign_in_service& service, const std::string& password);

/// Nobody types more.
inline constexpr std::size_t password_bytes_max = 1024;
inline constexpr std::size_t email_bytes_max = 254;

/// Links that set a password once; see accounts::session_store.
void add_invitation_routes(http::router& router, sign_in_service& service);

}  // namespace reelsd::dashboard
