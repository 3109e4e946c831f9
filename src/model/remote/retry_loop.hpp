#pragma once

#include "chat_api.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/model/circuit_breaker.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/model/remote_analyzer.hpp>

#include <chrono>
#include <functional>

namespace reelsd::model {

/// What conversations with one model share. All of it outlives them.
struct retry_loop_dependencies {
    const chat_api& api;
    const net::http_client& http;
    circuit_breaker& circuit;
    const price_table& prices;
    const log::logger& log;
    const request_observer& on_request;  ///< May be empty.
    std::chrono::seconds answer_time_max{300};
};

/// Why a question has no reply, and when the next one is worth asking.
struct call_error {
    call_failure why;
    seconds_f not_before{0};
    bool asked_to_wait = false;
};

using model_answer = boost::system::result<reply, call_error>;

/// What is answered in place of a model that is not asked. Not to have been asked is no failed
/// attempt, unless everybody fails alike.
[[nodiscard]] call_error not_asked(const circuit_breaker::closed_way& why);

/// Asks one question with all the tries that it deserves: pauses between them, the circuit breaker,
/// and each call in the ledger before it is made. Blocks until answered, given up, `by` or `stop`.
[[nodiscard]] model_answer ask(
    const retry_loop_dependencies& with, chat_session& session, const question& asked,
    call_ledger& calls, const deadline& by, const std::stop_token& stop);

/// Waits; false when `stop` is asked for or `by` comes first.
[[nodiscard]] bool pause(seconds_f length, const deadline& by, const std::stop_token& stop);

}  // namespace reelsd::model
