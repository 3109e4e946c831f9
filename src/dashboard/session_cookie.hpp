#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What browsers keep of a session, and what they must show to change anything. Pure.
namespace reelsd::dashboard {

/// The session's secret in a `Cookie` header; nothing when there is none of its form. Of several
/// the first: another site of the same host name may have set one in front of ours.
[[nodiscard]] std::optional<std::string_view> session_secret_in(std::string_view cookie_header);

/// `Set-Cookie` for a session: out of reach of scripts, sent by our own pages alone, and over TLS
/// alone with `is_secure`. It ends with the session, not with the browser.
[[nodiscard]] std::string session_cookie(std::string_view secret, bool is_secure);
/// `Set-Cookie` that takes it away.
[[nodiscard]] std::string ended_session_cookie(bool is_secure);

/// What the session's pages send in the header `X-CSRF-Token`: made of the session's secret, which
/// other sites cannot read, so that nothing has to be stored.
[[nodiscard]] std::string csrf_token_of(std::string_view session_secret);

}  // namespace reelsd::dashboard
