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
#include <vector>

namespace reelsd::async {
class offload_pool;
}
namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// Dependencies of sign-in and invitations. Outlives the router.
struct sign_in_service {
    accounts::session_store sessions;
    async::offload_pool& offload;
    std::function<std::string()> origin;
    log::logger log;
    sign_in_throttle throttle;
    std::vector<std::string> analyzers;  ///< See dashboard_dependencies.
};

/// Routes of sessions below `prefix`, and without it those of sign-in and invitations.
void add_sign_in_routes(http::router& router, std::string_view prefix, sign_in_service& service);

/// Begins a session and responds with its view and cookies; 401 when the password has changed since
/// it was verified.
[[nodiscard]] boost::asio::awaitable<http::response> begin_session(
    http::request_context& ctx, sign_in_service& service, accounts::credentials verified);

/// The caller's credentials if the password matches, else the response: 400, or 429 after too many
/// attempts.
[[nodiscard]] boost::asio::awaitable<std::variant<accounts::credentials, http::response>>
confirm_password(http::request_context& ctx, sign_in_service& service, const std::string& password);

/// Whether the public origin uses HTTPS.
[[nodiscard]] bool is_secure(const sign_in_service& service);

/// Argon2id off the event loop. Errors: `limit_reached` or `timed_out` when too many are waiting.
[[nodiscard]] boost::asio::awaitable<result<std::string>> hash_off_loop(
    http::request_context& ctx, sign_in_service& service, const std::string& password);

/// More than any typed password.
inline constexpr std::size_t password_bytes_max = 1024;
inline constexpr std::size_t email_bytes_max = 254;

}  // namespace reelsd::dashboard
