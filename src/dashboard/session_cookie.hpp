#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What browsers keep of a session, and what they must show to change anything. Pure.
namespace reelsd::dashboard {

// Over TLS (`is_secure`) the names begin with `__Host-`: browsers then take such a cookie from this
// host alone, and a neighbouring host below the same domain cannot set one for ours.

/// The session's secret in a `Cookie` header; nothing when there is none of its form, or more than
/// one: another site of the same host name may have added its own.
[[nodiscard]] std::optional<std::string_view> session_secret_in(
    std::string_view cookie_header, bool is_secure);

/// `Set-Cookie` for a session: out of reach of scripts, sent by our own pages alone, and over TLS
/// alone with `is_secure`. It ends with the session, not with the browser.
[[nodiscard]] std::string session_cookie(std::string_view secret, bool is_secure);
/// `Set-Cookie` that takes it away.
[[nodiscard]] std::string ended_session_cookie(bool is_secure);

/// What a browser keeps once it has signed in to an account: text that only the account's present
/// password hash proves. It lets in to nothing. The sign-in throttle counts the guesses of such a
/// browser by themselves, so that strangers' guesses do not lock the owner out.
[[nodiscard]] std::string new_device_proof(std::string_view password_hash);
[[nodiscard]] bool proves_device(std::string_view proof, std::string_view password_hash);
/// The proof in a `Cookie` header; nothing when there is none of its form, or more than one.
[[nodiscard]] std::optional<std::string_view> device_proof_in(
    std::string_view cookie_header, bool is_secure);
/// `Set-Cookie` for a proof.
[[nodiscard]] std::string device_cookie(std::string_view proof, bool is_secure);

/// What the session's pages send in the header `X-CSRF-Token`: made of the session's secret, which
/// other sites cannot read, so that nothing has to be stored.
[[nodiscard]] std::string csrf_token_of(std::string_view session_secret);

}  // namespace reelsd::dashboard
