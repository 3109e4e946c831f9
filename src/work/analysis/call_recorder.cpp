#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// One statement.
constexpr auto write_time_max = 5s;
/// Pause between two tries while the database is unreachable.
constexpr auto write_pause = 1s;
/// How long a worker waits for its call to be written before it continues with the job. Later steps
/// notice a missing database.
constexpr auto worker_wait_max = 30s;
/// Upper bound on paid calls per job, over all attempts, because a hostile video may cause many.
constexpr int calls_max = 3;
/// A transcription whose answer is lost is not paid again: the built-in recogniser replaces it.
constexpr int transcriptions_max = 1;

usage::call_purpose purpose_of(model::call_kind kind) {
    return kind == model::call_kind::answer ? usage::call_purpose::analysis
                                            : usage::call_purpose::transcription;
}

using begun_call = result<std::int64_t>;

awaitable<begun_call> begin_in(
    usage::call_ledger_store& store, usage::call_intent intent, deadline by) {
    return store.begin(std::move(intent), by);
}

awaitable<begun_call> begin_in(
    usage::call_ledger_store& store, usage::account_call_intent intent, deadline by) {
    return store.begin_for_account(std::move(intent), by);
}

/// Owns its arguments, because the caller may give up before the loop starts it.
template <class Decision, class Intent>
awaitable<Decision> decide(usage::call_ledger_store store, Intent intent, deadline by) {
    const auto begun = co_await begin_in(store, std::move(intent), by);
    if (!begun) co_return Decision{.call = std::nullopt, .why_not = begun.error()};
    co_return Decision{.call = *begun, .why_not = {}};
}

/// Returns the ledger's form of the modalities: a JSON array, or empty if the provider sent none.
std::string modalities_text(const model::token_counts& tokens) {
    if (tokens.by_modality.empty()) return {};
    auto list = json::array();
    for (const auto& part : tokens.by_modality) {
        list.push_back(
            {{"modality", name_of(part.kind)},
             {"prompt_tokens", part.prompt},
             {"cached_prompt_tokens", part.cached_prompt},
             {"output_tokens", part.output}});
    }
    return list.dump();
}

}  // namespace

result<void> call_recorder::check_budget(account_id account, deadline by) const {
    const auto is_spent = wait_for(loop_, store_.is_budget_spent(account, by), by);
    if (!is_spent) return is_spent.error();
    if (*is_spent) return error{errc::unauthorized, "the account's monthly budget is spent"};
    return {};
}

template <class Intent>
result<std::int64_t> call_recorder::begin_on_loop(Intent intent) const {
    if (refuses_new_) return error{errc::cancelled, "the daemon is stopping"};
    const auto by = deadline::after(write_time_max);
    intent.booking_key = usage::new_booking_key();
    const auto key = intent.booking_key;
    const auto begun = wait_for(loop_, decide<decision>(store_, std::move(intent), by), by);
    if (!begun) {
        // It may be in the ledger all the same, and will never be made.
        write_surely([store = store_, key](deadline until) mutable {
            return store.release_unanswered(key, until);
        });
        return begun.error();
    }
    if (!begun->call) return begun->why_not;
    return *begun->call;
}

result<std::int64_t> call_recorder::begin(usage::call_intent intent) const {
    return begin_on_loop(std::move(intent));
}

result<std::int64_t> call_recorder::begin_for_account(usage::account_call_intent intent) const {
    return begin_on_loop(std::move(intent));
}

bool call_recorder::settle(std::int64_t call, usage::call_usage used) const {
    return write_surely([store = store_, call, used = std::move(used)](deadline by) mutable {
        return store.settle(call, used, by);
    });
}

result<std::string> call_recorder::kept_answer(
    job_id job, std::string_view provider, std::string_view model,
    usage::call_purpose purpose) const {
    const auto by = deadline::after(write_time_max);
    return wait_for(
        loop_, store_.kept_answer(job, std::string{provider}, std::string{model}, purpose, by), by);
}

result<std::string> call_recorder::answered_model(job_id job) const {
    const auto by = deadline::after(write_time_max);
    return wait_for(loop_, store_.answered_model(job, by), by);
}

void call_recorder::release(std::int64_t call) const {
    write_surely([store = store_, call](deadline by) mutable { return store.release(call, by); });
}

awaitable<result<std::int64_t>> call_recorder::begin_later(
    usage::account_call_intent intent, deadline by) const {
    auto store = store_;
    intent.booking_key = usage::new_booking_key();
    const auto key = intent.booking_key;
    try {
        co_return co_await store.begin_for_account(std::move(intent), by);
    } catch (...) {
        // It may be in the ledger all the same, and will never be made.
        write_later(
            [store, key](deadline until) mutable { return store.release_unanswered(key, until); });
        throw;
    }
}

void call_recorder::settle_later(std::int64_t call, usage::call_usage used) const {
    write_later([store = store_, call, used = std::move(used)](deadline by) mutable {
        return store.settle(call, used, by);
    });
}

void call_recorder::release_later(std::int64_t call) const {
    write_later([store = store_, call](deadline by) mutable { return store.release(call, by); });
}

void call_recorder::write_later(statement write_once) const {
    tasks_.spawn(
        "model call", write(std::move(write_once), std::make_shared<std::promise<void>>()));
}

awaitable<void> call_recorder::write(
    statement write_once, std::shared_ptr<std::promise<void>> written) const {
    for (;;) {
        try {
            co_await write_once(deadline::after(write_time_max));
            written->set_value();
            co_return;
        } catch (const db::failure& failure) {
            log_.error("recording a model call failed", {{"reason", failure.what()}});
            // An outage is retried; a bug is not, because no retry would succeed.
            if (failure.code() == errc::internal) co_return;
        }
        co_await async::pause(write_pause);
    }
}

bool call_recorder::write_surely(statement write_once) const {
    auto promise = std::make_shared<std::promise<void>>();
    auto written = promise->get_future();
    asio::post(loop_, [this, write_once = std::move(write_once), promise]() mutable {
        tasks_.spawn("model call", write(std::move(write_once), std::move(promise)));
    });
    return written.wait_for(worker_wait_max) == std::future_status::ready;
}

result<std::int64_t> job_call_ledger::begin_call(
    std::string_view provider, std::string_view model, model::call_kind kind) {
    return recorder_.begin(
        {.job = job_.id,
         .claim = job_.claim,
         .provider = std::string{provider},
         .model = std::string{model},
         .purpose = purpose_of(kind),
         .calls_max = kind == model::call_kind::transcription ? transcriptions_max : calls_max});
}

result<std::string> job_call_ledger::kept_answer(
    std::string_view provider, std::string_view model, model::call_kind kind) {
    return recorder_.kept_answer(job_.id, provider, model, purpose_of(kind));
}

void job_call_ledger::settle(std::int64_t call, const model::call_usage& used) {
    if (!recorder_.settle(call, ledger_usage(used))) has_unsaved_answer_ = true;
}

usage::call_usage ledger_usage(const model::call_usage& used) {
    return {
        .prompt_tokens = used.tokens.prompt,
        .cached_prompt_tokens = used.tokens.cached_prompt,
        .output_tokens = used.tokens.output,
        .thinking_tokens = used.tokens.thinking,
        .cost_picodollars = used.cost_picodollars,
        .modalities = modalities_text(used.tokens),
        .response_id = used.response_id,
        .audio_milliseconds = used.audio_milliseconds,
        .kept_answer = used.kept_answer};
}

}  // namespace reelsd::work
