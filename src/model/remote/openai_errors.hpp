#pragma once

#include "call_failure.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <string_view>

/// What the refusals of servers with chat completions mean. Source: model-api.md B. Pure.
namespace reelsd::model {

/// `status` is not 200.
[[nodiscard]] call_failure openai_failure(
    int status, const net::header_list& headers, std::string_view body,
    std::chrono::system_clock::time_point now);

/// Whether a body under status 200 is an error all the same: then what it means.
[[nodiscard]] std::optional<call_failure> openai_failure_within(
    const json& document, const net::header_list& headers,
    std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
