#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/cli/retry.hpp>
#include <reelsd/cli/settings.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// A success of the server's: the bytes as they came and what they say.
struct api_answer {
    std::string body;
    json document;  ///< Always an object.
};

/// The HTTP API as calls. Blocking; repeats what is worth repeating. Errors of all calls:
/// cancelled, what failure_of() says, connection_failed and timed_out; the detail is for the user.
class api_client {
public:
    /// `on_retry` is told in words why and when the next attempt comes.
    api_client(
        connection_settings connection, retry_policy policy,
        std::function<void(std::string_view)> on_retry);

    /// POST /api/v1/reels/analyze. Carries an Idempotency-Key, so that a repeat after a lost answer
    /// does not queue the reel twice.
    [[nodiscard]] result<api_answer> submit(
        std::string_view link, const std::stop_token& stop) const;

    /// GET /api/v1/reels/{id}?wait=: the job, at the latest after `wait` (0-60 s).
    [[nodiscard]] result<api_answer> job(
        std::int64_t id, std::chrono::seconds wait, const std::stop_token& stop) const;

private:
    [[nodiscard]] result<api_answer> send(
        net::http_request request, std::chrono::seconds answer_time_max,
        const std::stop_token& stop) const;

    connection_settings connection_;
    retry_policy policy_;
    std::function<void(std::string_view)> on_retry_;
    net::http_client http_;
};

/// Blocks for `duration`. False when `stop` was asked for meanwhile.
[[nodiscard]] bool pause(std::chrono::milliseconds duration, const std::stop_token& stop);

}  // namespace reelsd::cli
