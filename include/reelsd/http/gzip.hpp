#pragma once

#include <reelsd/http/request_context.hpp>
#include <reelsd/http/response.hpp>

namespace reelsd::http {

/// `answer` with its body compressed by gzip if the client accepts that (`Accept-Encoding`), and
/// with `Vary` in either case. For bodies without an `ETag`: each form would need its own.
[[nodiscard]] response gzip_if_accepted(const request_context& ctx, response answer);

}  // namespace reelsd::http
