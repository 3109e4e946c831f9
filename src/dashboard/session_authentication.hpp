#pragma once

#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/http/request_context.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::dashboard {

/// `WWW-Authenticate` of the dashboard's 401 (RFC 9110 15.5.2 wants one). Browsers know no such
/// scheme and show no dialog of their own.
inline constexpr std::string_view session_challenge = "Session realm=\"dashboard\"";

/// The caller of a session with this secret.
[[nodiscard]] http::caller_identity identity_of(accounts::session session, std::string_view secret);

/// The gate of everything that needs a session.
class session_authentication {
public:
    session_authentication(accounts::session_store sessions, std::function<std::string()> origin)
        : sessions_{sessions}, origin_{std::move(origin)} {}

    /// Recognises the caller by the session's cookie, or answers 401. Each request is looked up
    /// anew, so that a session that has been ended is refused at once on every instance.
    boost::asio::awaitable<std::optional<http::response>> authenticate(http::request_context& ctx);

    /// The same for what is for administrators alone: everybody else learns no more than of any
    /// unknown path, 404.
    boost::asio::awaitable<std::optional<http::response>> authenticate_administrator(
        http::request_context& ctx);

    /// 403 for a change that no page of ours has asked for.
    std::optional<http::response> accept(http::request_context& ctx) const;

private:
    accounts::session_store sessions_;
    std::function<std::string()> origin_;
};

}  // namespace reelsd::dashboard
