#include "retry_loop.hpp"

#include "call_failure.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/random.hpp>

#include <boost/core/noncopyable.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace reelsd::model {
namespace {

using clock = circuit_breaker::clock;

/// The answer's text, of which 1 MiB is read, and the JSON around it, which ends with the usage.
constexpr std::size_t answer_bytes_max = std::size_t{4} * 1024 * 1024;

/// The text as a JSON string: the database stores no NUL and only valid UTF-8. An answer that was
/// cut off is kept as an empty text, so that no later attempt pays for the same token limit again.
std::string kept_text(const reply& reply) {
    switch (reply.end) {
        case reply_end::complete: return dumped(reply.text);
        case reply_end::truncated: return dumped("");
        default: return {};
    }
}

/// The usage of a call. Its cost is unknown without token counts or a price.
call_usage usage_of(const retry_loop_dependencies& model, const reply& reply) {
    call_usage usage{
        .tokens = reply.used.value_or(token_counts{}),
        .cost_picodollars = std::nullopt,
        .response_id = reply.response_id};
    if (model.kind == call_kind::answer) {
        usage.kept_answer = kept_text(reply);
    } else {
        usage.audio_milliseconds = reply.audio_milliseconds;
        usage.kept_answer = reply.text;
        usage.cost_picodollars =
            model.prices.cost_of_audio(model.api.model, reply.audio_milliseconds);
    }
    if (reply.used && !usage.cost_picodollars)
        usage.cost_picodollars = model.prices.cost_of(model.api.model, usage.tokens);
    return usage;
}

void log_reply(const retry_loop_dependencies& model, const reply& reply, const call_usage& usage) {
    model.log.info(
        "model answered",
        {{"provider", model.api.provider},
         {"model", model.api.model},
         {"response", excerpt(reply.response_id)},
         {"prompt_tokens", usage.tokens.prompt},
         {"output_tokens", usage.tokens.output},
         {"thinking_tokens", usage.tokens.thinking},
         {"audio_milliseconds", usage.audio_milliseconds},
         {"cost_picodollars", usage.cost_picodollars.value_or(-1)},
         {"detail", reply.detail}});
    if (usage.cost_picodollars) return;
    model.log.warning(
        "model call has an unknown cost",
        {{"provider", model.api.provider},
         {"model", model.api.model},
         {"reason",
          reply.used || model.kind != call_kind::answer ? "its model has no price (model-prices)"
                                                        : "the provider reported no tokens"}});
}

model_reply call_once(
    const retry_loop_dependencies& model, chat_session& session, const request_options& options,
    call_ledger& calls, const deadline& by, const std::stop_token& stop) {
    auto request = session.request_for(options, by, stop);
    if (!request) return request.error();
    // A call that is begun and then cancelled is billed.
    if (stop.stop_requested()) return call_failure{.kind = failure_kind::cancelled};
    const auto call = calls.begin_call(model.api.provider, model.api.model, model.kind);
    if (!call) return failure_from(call.error());

    bool is_sent = false;
    request->on_sent = [&is_sent] { is_sent = true; };
    request->response_bytes_max = answer_bytes_max;
    const auto response = model.http.send(*request, by.at_most(model.answer_time_max), stop);
    if (!response) {
        // A provider with the whole request may have processed it.
        if (!is_sent) calls.release(*call);
        auto why = failure_from(response.error());
        why.may_be_billed = is_sent;
        return why;
    }
    auto reply = session.reply_of(*response);
    if (reply) {
        reply->response_id = without_secret(std::move(reply->response_id), model.api.secret);
        reply->detail = without_secret(std::move(reply->detail), model.api.secret);
        const auto usage = usage_of(model, *reply);
        // First, because settling waits while the database is unavailable.
        log_reply(model, *reply, usage);
        calls.settle(*call, usage);
        if (reply->end == reply_end::broken_off) {
            return call_failure{
                .kind = failure_kind::transient,
                .detail = std::move(reply->detail),
                .may_be_billed = true};
        }
    } else if (!is_sent || !reply.error().may_be_billed) {
        // A model without the whole request has not processed it.
        calls.release(*call);
    }
    return reply;
}

/// Whether the model has no part in a failure: nothing was sent to it, or the call was cancelled.
bool is_own(failure_kind kind) {
    switch (kind) {
        case failure_kind::no_calls_left:
        case failure_kind::budget_spent:
        case failure_kind::storage:
        case failure_kind::media_child:
        case failure_kind::no_database:
        case failure_kind::cancelled: return true;
        default: return false;
    }
}

/// Counts and logs a request that was made.
void report(const retry_loop_dependencies& model, const model_reply& reply) {
    if (!reply && is_own(reply.error().kind)) return;
    if (model.on_request) {
        model.on_request(
            model.api.provider,
            model.api.model,
            reply ? std::string_view{"answered"} : name_of(reply.error().kind));
    }
    if (reply) return;
    model.log.warning(
        "model did not answer",
        {{"provider", model.api.provider},
         {"model", model.api.model},
         {"kind", name_of(reply.error().kind)},
         {"reason", reply.error().detail}});
}

/// Updates the circuit, which all workers share.
void update(circuit_breaker& circuit, const call_failure& why) {
    switch (why.kind) {
        case failure_kind::misconfigured:
        case failure_kind::unauthorized: return circuit.misconfigured(clock::now());
        case failure_kind::rate_limited:
        case failure_kind::overloaded:
        case failure_kind::transient:
        case failure_kind::server_fault:
        case failure_kind::slow: return circuit.failed(clock::now());
        default: return circuit.abandoned();
    }
}

/// A key that worked before is probably still right, so one 401 is retried.
bool is_doubtful_401(const circuit_breaker& circuit, const call_failure& why, int tries) {
    return why.kind == failure_kind::unauthorized && tries == 1 && circuit.has_succeeded();
}

/// The error when this worker does not retry.
call_error given_up(circuit_breaker& circuit, const call_failure& why, const next_try& next) {
    const auto* const later = std::get_if<snooze>(&next);
    if (later == nullptr) {
        update(circuit, why);
        return {.why = why};
    }
    circuit.open_for(later->wait, clock::now());
    return {.why = why, .not_before = later->wait, .asked_to_wait = true};
}

/// Ends the probe of an open circuit when an exception is thrown, because others wait for it.
class circuit_probe : boost::noncopyable {
public:
    explicit circuit_probe(circuit_breaker& circuit) : circuit_{circuit} {}
    ~circuit_probe() {
        if (std::uncaught_exceptions() > exceptions_before_) circuit_.abandoned();
    }

private:
    circuit_breaker& circuit_;
    int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace

call_error rejected_by_circuit(const circuit_breaker::rejection& rejection) {
    const bool is_misconfigured = rejection.is_misconfigured;
    return {
        .why =
            {.kind = is_misconfigured ? failure_kind::misconfigured : failure_kind::overloaded,
             .detail = "not requested: the model has not answered recently"},
        .not_before = rejection.wait,
        .asked_to_wait = !is_misconfigured};
}

model_answer ask(
    const retry_loop_dependencies& model, chat_session& session, const request_options& options,
    call_ledger& calls, const deadline& by, const std::stop_token& stop) {
    auto& circuit = model.circuit;
    if (const auto rejection = circuit.admit(clock::now())) return rejected_by_circuit(*rejection);
    const circuit_probe probe{circuit};
    std::optional<call_failure> earlier;
    for (int tries = 1;; ++tries) {
        auto reply = call_once(model, session, options, calls, by, stop);
        if (!reply) {
            auto why = masked(reply.error(), model.api.secret);
            // The configured limit, not the larger one for an answer that was cut off.
            if (why.kind == failure_kind::limit_too_large && !options.larger_cap)
                why.kind = failure_kind::misconfigured;
            reply = std::move(why);
        }
        report(model, reply);
        if (reply) {
            circuit.succeeded();
            return *std::move(reply);
        }
        const auto& why = reply.error();
        if (is_doubtful_401(circuit, why, tries)) continue;
        const auto next = after_failed_try(why, tries, random_between(0.0, 1.0));
        const auto* const again = std::get_if<try_again>(&next);
        if (again != nullptr && sleep_within(again->pause, by, stop)) {
            earlier = why;
            continue;
        }
        if (again != nullptr && stop.stop_requested()) {
            circuit.abandoned();
            return call_error{.why = {.kind = failure_kind::cancelled}};
        }
        auto error = given_up(circuit, why, next);
        // A transcript has a built-in replacement, so it needs the cause rather than the limit.
        if (why.kind == failure_kind::no_calls_left && model.kind != call_kind::answer && earlier)
            error.why = *std::move(earlier);
        return error;
    }
}

}  // namespace reelsd::model
