#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/http/request_context.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Requests of the dashboard's pages: their sessions, cookies and bodies.
namespace reelsd::dashboard {

/// `WWW-Authenticate` of the dashboard's 401, which RFC 9110 15.5.2 requires. Browsers do not know
/// the scheme and show no dialog.
inline constexpr std::string_view session_challenge = "Session realm=\"dashboard\"";

[[nodiscard]] http::caller_identity identity_of(accounts::session session, std::string_view secret);

class session_authentication {
public:
    session_authentication(accounts::session_store sessions, std::function<std::string()> origin)
        : sessions_{sessions}, origin_{std::move(origin)} {}

    /// Identifies the caller by the session cookie, or responds 401. Reads the session for each
    /// request, so that an ended session is rejected immediately on every instance.
    awaitable<std::optional<http::response>> authenticate(http::request_context& ctx);

    /// Also responds 404, as for unknown paths, to callers who are not administrators.
    awaitable<std::optional<http::response>> authenticate_administrator(http::request_context& ctx);

    /// 403 for a change that was not requested by the dashboard's pages.
    awaitable<std::optional<http::response>> accept(http::request_context& ctx) const;

private:
    accounts::session_store sessions_;
    std::function<std::string()> origin_;
};

// With TLS (`is_secure`) the names of cookies begin with `__Host-`, so that other hosts of the same
// domain cannot set them. Of a cookie that occurs more than once, no value is used: another site on
// the same host may have added one.

/// The session's secret in a `Cookie` header; empty when there is no valid one.
[[nodiscard]] std::optional<std::string_view> session_secret_in(
    std::string_view cookie_header, bool is_secure);

/// `Set-Cookie` for a session, inaccessible to scripts and other sites. Expires with the session.
[[nodiscard]] std::string session_cookie(std::string_view secret, bool is_secure);
/// `Set-Cookie` that deletes it.
[[nodiscard]] std::string ended_session_cookie(bool is_secure);

/// Proof that a browser has signed in to an account, valid for the account's current password hash.
/// It grants no access. The sign-in throttle counts attempts of such a browser separately, so that
/// attempts by strangers do not lock the owner out.
[[nodiscard]] std::string new_device_proof(std::string_view password_hash);
[[nodiscard]] bool proves_device(std::string_view proof, std::string_view password_hash);
/// The proof in a `Cookie` header; empty when there is no valid one.
[[nodiscard]] std::optional<std::string_view> device_proof_in(
    std::string_view cookie_header, bool is_secure);
[[nodiscard]] std::string device_cookie(std::string_view proof, bool is_secure);

/// The `X-CSRF-Token` header of a session's pages, derived from the session's secret, which other
/// sites cannot read.
[[nodiscard]] std::string csrf_token_of(std::string_view session_secret);

/// The response to a change that was not requested by a page of `own_origin`; empty if it was.
/// Browsers report the origin (`Sec-Fetch-Site`, `Origin`), and send JSON to another site only with
/// its permission. `own_origin` is the public one: a proxy may have replaced `Host`.
[[nodiscard]] std::optional<http::response> refuse_other_sites(
    const http::request_context& ctx, std::string_view own_origin);

// Members of request bodies. Errors: `invalid_argument` with the text for the client.

/// A text of at most `bytes_max` bytes.
[[nodiscard]] result<std::string> text_in(
    const json& body, std::string_view name, std::size_t bytes_max);

/// Empty when the member is absent.
[[nodiscard]] result<std::optional<bool>> flag_in(const json& body, std::string_view name);

}  // namespace reelsd::dashboard
