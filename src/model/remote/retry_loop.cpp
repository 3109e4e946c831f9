#include "retry_loop.hpp"

#include "retry_schedule.hpp"
#include <reelsd/base/random.hpp>
#include <reelsd/base/sleep.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace reelsd::model {
namespace {

using clock = circuit_breaker::clock;

/// With what stands around the text, of which 1 MiB is read: what it has cost is told at the end.
constexpr std::size_t answer_bytes_max = std::size_t{4} * 1024 * 1024;

std::chrono::year_month_day today() {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

/// One call in the ledger: counted as unknown unless somebody says better.
class paid_call {
public:
    paid_call(call_ledger& ledger, std::int64_t number) : ledger_{ledger}, number_{number} {}

    void release() { ledger_.release(number_); }
    void settle(const call_usage& used) { ledger_.settle(number_, used); }

private:
    call_ledger& ledger_;
    std::int64_t number_;
};

void log_reply(const retry_loop_dependencies& with, const reply& said, const call_usage& used) {
    with.log.info(
        "model answered",
        {{"provider", with.api.provider()},
         {"model", with.api.model()},
         {"response", excerpt(said.response_id)},
         {"prompt_tokens", used.tokens.prompt},
         {"output_tokens", used.tokens.output},
         {"thinking_tokens", used.tokens.thinking},
         {"cost_picodollars", used.cost_picodollars.value_or(-1)},
         {"detail", said.detail}});
}

/// A cost that nobody can know is told each time: somebody will want to look it up.
void settle(const retry_loop_dependencies& with, paid_call& call, const reply& said) {
    call_usage used{
        .tokens = said.used.value_or(token_counts{}),
        .cost_picodollars = std::nullopt,
        .response_id = said.response_id};
    if (said.used)
        used.cost_picodollars = with.prices.cost_of(with.api.model(), used.tokens, today());
    call.settle(used);
    log_reply(with, said, used);
    if (used.cost_picodollars) return;
    with.log.warning(
        "the cost of a model call is not known",
        {{"provider", with.api.provider()},
         {"model", with.api.model()},
         {"reason",
          said.used ? "its model has no price (model-prices)" : "the provider told no tokens"}});
}

model_reply call_once(
    const retry_loop_dependencies& with, chat_session& session, const question& asked,
    call_ledger& calls, const deadline& by, const std::stop_token& stop) {
    auto request = session.request_for(asked, by, stop);
    if (!request) return request.error();
    // A call that is begun and then cancelled has been paid for.
    if (stop.stop_requested()) return call_failure{.kind = failure_kind::cancelled};
    const auto begun = calls.begin_call(with.api.provider(), with.api.model());
    if (!begun) return failure_from(begun.error());
    paid_call call{calls, *begun};

    bool is_sent = false;
    request->on_sent = [&is_sent] { is_sent = true; };
    request->response_bytes_max = answer_bytes_max;
    const auto answer = with.http.send(*request, by.at_most(with.answer_time_max), stop);
    if (!answer) {
        // Once it has the whole question, a provider may have worked on it.
        if (!is_sent) call.release();
        return failure_from(answer.error());
    }
    auto said = session.reply_of(*answer);
    if (said) {
        said->response_id = without_secret(std::move(said->response_id), with.api.secret());
        said->detail = without_secret(std::move(said->detail), with.api.secret());
        settle(with, call, *said);
    } else if (!is_sent || !said.error().may_be_billed) {
        // Without the whole question no model has worked on it.
        call.release();
    }
    return said;
}

model_reply try_once(
    const retry_loop_dependencies& with, chat_session& session, const question& asked,
    call_ledger& calls, const deadline& by, const std::stop_token& stop) {
    auto said = call_once(with, session, asked, calls, by, stop);
    if (said) return said;
    auto why = said.error();
    why.detail = without_secret(std::move(why.detail), with.api.secret());
    return why;
}

void note_request(const retry_loop_dependencies& with, const model_reply& ended) {
    if (with.on_request) {
        with.on_request(
            with.api.provider(),
            with.api.model(),
            ended ? std::string_view{"answered"} : name_of(ended.error().kind));
    }
    if (ended || ended.error().kind == failure_kind::cancelled) return;
    with.log.warning(
        "model did not answer",
        {{"provider", with.api.provider()},
         {"model", with.api.model()},
         {"kind", name_of(ended.error().kind)},
         {"reason", ended.error().detail}});
}

/// What the end of a question tells about the provider, for all workers.
void note_for_all(circuit_breaker& circuit, const model_reply& ended) {
    if (ended) return circuit.succeeded();
    switch (ended.error().kind) {
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

/// A key that has worked is not wrong all of a sudden: once more.
bool deserves_another_try(const circuit_breaker& circuit, const model_reply& ended, int tries) {
    return ended.error().kind == failure_kind::unauthorized && tries == 1 &&
           circuit.has_succeeded();
}

/// What is left when this worker does not ask again.
call_error given_up(circuit_breaker& circuit, const model_reply& ended, const next_try& next) {
    const auto* const later = std::get_if<snooze>(&next);
    if (later == nullptr) {
        note_for_all(circuit, ended);
        return {.why = ended.error()};
    }
    if (later->opens_circuit) {
        circuit.open_for(later->wait, clock::now());
    } else {
        circuit.abandoned();
    }
    return {.why = ended.error(), .not_before = later->wait, .asked_to_wait = true};
}

/// Others wait for a question that finds out whether the provider is back: an exception must not
/// leave them waiting for ever.
class circuit_probe {
public:
    explicit circuit_probe(circuit_breaker& circuit) : circuit_{circuit} {}
    circuit_probe(const circuit_probe&) = delete;
    circuit_probe& operator=(const circuit_probe&) = delete;
    ~circuit_probe() {
        if (std::uncaught_exceptions() > exceptions_before_) circuit_.abandoned();
    }

private:
    circuit_breaker& circuit_;
    int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace

bool pause(seconds_f length, const deadline& by, const std::stop_token& stop) {
    const auto until =
        clock::now() + std::chrono::duration_cast<clock::duration>(std::max(length, seconds_f{0}));
    if (until > by.when()) return false;
    return stoppable_sleep_until(until, stop);
}

call_error not_asked(const circuit_breaker::closed_way& why) {
    return {
        .why =
            {.kind = why.is_misconfigured ? failure_kind::misconfigured : failure_kind::overloaded,
             .detail = "not asked: it has not answered others"},
        .not_before = why.wait,
        .asked_to_wait = !why.is_misconfigured};
}

model_answer ask(
    const retry_loop_dependencies& with, chat_session& session, const question& asked,
    call_ledger& calls, const deadline& by, const std::stop_token& stop) {
    if (const auto closed = with.circuit.refusal(clock::now())) return not_asked(*closed);
    const circuit_probe probe{with.circuit};
    for (int tries = 1;; ++tries) {
        auto ended = try_once(with, session, asked, calls, by, stop);
        note_request(with, ended);
        if (ended) {
            with.circuit.succeeded();
            return *std::move(ended);
        }
        if (deserves_another_try(with.circuit, ended, tries)) continue;
        const auto next = after_failed_try(ended.error(), tries, random_between(0.0, 1.0));
        const auto* const again = std::get_if<try_again>(&next);
        if (again != nullptr && pause(again->pause, by, stop)) continue;
        if (again != nullptr && stop.stop_requested()) {
            with.circuit.abandoned();
            return call_error{.why = {.kind = failure_kind::cancelled}};
        }
        return given_up(with.circuit, ended, next);
    }
}

}  // namespace reelsd::model
