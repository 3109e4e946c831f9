#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::api {

/// Whether deliveries may go to an address. Its error, invalid_argument, goes on after the name of
/// the field: "must be an https URL".
using webhook_url_check = std::function<result<void>(std::string_view url)>;

/// The address in `field` of a body: nothing when absent or null; `invalid_argument` unless a
/// string that `check` lets pass, with the text that the client reads.
[[nodiscard]] result<std::optional<std::string>> requested_webhook_url(
    const json& body, std::string_view field, const webhook_url_check& check);

}  // namespace reelsd::api
