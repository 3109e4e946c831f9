#pragma once

#include <reelsd/base/error.hpp>
#include <reelsd/http/response.hpp>

#include <string>
#include <string_view>

namespace reelsd::http {

/// The one home of what an error looks like to a client (contract, section 1).

/// The status that an error ends in. Exhaustive: a new code does not compile until it is placed.
[[nodiscard]] status http_status_of(errc code) noexcept;

/// {"message": "...", "status": "error"}. `message` must be fit for clients.
[[nodiscard]] response problem_response(status code, std::string_view message);

/// 401 {"error": "..."} with `WWW-Authenticate: <challenge>`.
[[nodiscard]] response unauthorized_response(std::string_view text, std::string_view challenge);

/// The answer for `why`. Its detail is shown for invalid_argument and limit_reached, whose details
/// are made for the caller, and for no other code. 503 carries `Retry-After`.
[[nodiscard]] response problem_response(const error& why);

/// What a client is told to wait when the database is away or the daemon goes down.
inline constexpr int retry_after_seconds = 5;

}  // namespace reelsd::http
