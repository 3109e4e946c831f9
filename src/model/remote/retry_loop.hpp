#pragma once

#include "chat_api.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/model/circuit_breaker.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/model/remote_analyzer.hpp>

#include <chrono>

namespace reelsd::model {

/// Shared by all requests to one model; outlives them.
struct retry_loop_dependencies {
    const model_endpoint& api;
    const net::http_client& http;
    circuit_breaker& circuit;
    const price_table& prices;
    const log::logger& log;
    const request_observer& on_request;  ///< May be empty.
    std::chrono::milliseconds answer_time_max{300'000};
    call_kind kind = call_kind::answer;
};

/// Why a request has no reply, and the delay before another one is useful.
struct call_error {
    call_failure why;
    seconds_f not_before{0};
    bool asked_to_wait = false;
};

using model_answer = boost::system::result<reply, call_error>;

/// The error for a request that the circuit breaker rejects. It is not a failed attempt, unless the
/// model is misconfigured for all.
[[nodiscard]] call_error rejected_by_circuit(const circuit_breaker::rejection& rejection);

/// Sends a request with retries: pauses between them, honours the circuit breaker, and records each
/// call in the ledger before it is made. Blocks until answered, given up, `by` or `stop`.
[[nodiscard]] model_answer ask(
    const retry_loop_dependencies& model, chat_session& session, const request_options& options,
    call_ledger& calls, const deadline& by, const std::stop_token& stop);

}  // namespace reelsd::model
