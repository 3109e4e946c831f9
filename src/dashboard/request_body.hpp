#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/http/request_context.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// What our own pages send. Errors: invalid_argument with the text that the client reads.
namespace reelsd::dashboard {

/// A text member of at most `bytes_max` bytes.
[[nodiscard]] result<std::string> text_in(
    const json& body, std::string_view name, std::size_t bytes_max);

/// Nothing when the member is absent.
[[nodiscard]] result<std::optional<bool>> flag_in(const json& body, std::string_view name);

/// The answer for a request that changes something and was not made by a page of ours; nothing when
/// it was. Browsers say where a request comes from (`Sec-Fetch-Site`, `Origin`), and none sends
/// JSON for another site without asking first. `own_origin` is where people reach the dashboard: a
/// proxy may have put another host into the request.
[[nodiscard]] std::optional<http::response> refuse_other_sites(
    const http::request_context& ctx, std::string_view own_origin);

}  // namespace reelsd::dashboard
