#include <reelsd/base/invariant.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>

#include <fmt/format.h>

namespace reelsd::usage {

BOOST_DESCRIBE_STRUCT(
    model_total, (),
    (provider, model, calls, unpriced_calls, prompt_tokens, cached_prompt_tokens, output_tokens,
     thinking_tokens, audio_seconds, cost_usd))

namespace {

// Only one worker holds a claim, so a job's calls are not counted concurrently. Checks the budget
// first, because it explains a refusal better than the number of calls. Only analyses have numbers.
constexpr db::essential_query begin_query{"usage.begin_call", R"sql(
    WITH held AS MATERIALIZED (
        SELECT account_id, id, claim, budget_is_spent(account_id) AS is_spent
          FROM job_state
         WHERE id = $1 AND claim = $2 AND status = 'processing'),
    begun AS (
        INSERT INTO model_call (account_id, job_id, number, claim, purpose, provider, model,
                                settled_at, booking_key)
        SELECT held.account_id, held.id,
               CASE WHEN $7 = 'analysis' THEN 1 + coalesce(max(earlier.number), 0) END,
               held.claim, $7::text::model_call_purpose, $3, $4, NULL, nullif($6, '')
          FROM held
          LEFT JOIN model_call AS earlier
            ON earlier.account_id = held.account_id AND earlier.job_id = held.id
           AND earlier.purpose = $7::text::model_call_purpose
           AND coalesce(earlier.number, 1) > 0
         WHERE NOT held.is_spent
         GROUP BY held.account_id, held.id, held.claim
        HAVING count(earlier.id) < $5
        RETURNING id)
    SELECT (SELECT id FROM begun) AS id, EXISTS (SELECT FROM held) AS is_held,
           coalesce((SELECT is_spent FROM held), false) AS is_spent)sql"};

// Embeddings that the operator requested do not count toward the account's budget.
constexpr db::essential_query begin_for_account_query{"usage.begin_account_call", R"sql(
    WITH payer AS MATERIALIZED (
        SELECT id, NOT $6::boolean AND budget_is_spent(id) AS is_spent FROM account WHERE id = $1),
    begun AS (
        INSERT INTO model_call (account_id, job_id, claim, purpose, provider, model, prompt_tokens,
                                by_operator, settled_at, booking_key)
        SELECT id, $2, 0, $8::text::model_call_purpose, $3, $4, $5, $6, NULL, $7
          FROM payer WHERE NOT is_spent
        RETURNING id)
    SELECT (SELECT id FROM begun) AS id,
           coalesce((SELECT is_spent FROM payer), false) AS is_spent)sql"};

constexpr db::query is_budget_spent_query{"usage.is_budget_spent", R"sql(
    SELECT budget_is_spent($1) AS is_spent)sql"};

// The lock waits for a deletion of the job, after which no answer is kept.
constexpr db::essential_query settle_query{"usage.settle_call", R"sql(
    WITH settled AS (
        UPDATE model_call
           SET settled_at = now(), prompt_tokens = $2, cached_prompt_tokens = $3,
               output_tokens = $4, thinking_tokens = $5, cost_usd = $6::bigint * 1e-12,
               modalities = nullif($7, '')::jsonb, response_id = nullif($8, ''),
               audio_seconds = $9::bigint * 0.001
         WHERE id = $1 AND settled_at IS NULL
        RETURNING job_id, purpose, provider, model),
    answered AS (
        SELECT job.id AS job_id, purpose, provider, model, $10::text AS answer
          FROM settled JOIN job_state AS job ON job.id = settled.job_id
         WHERE $10 <> ''
           FOR KEY SHARE OF job),
    transcript AS (
        INSERT INTO kept_transcript (job_id, provider, model, answer)
        SELECT job_id, provider, model, answer FROM answered WHERE purpose = 'transcription'
        ON CONFLICT (job_id) DO UPDATE
           SET provider = excluded.provider, model = excluded.model, answer = excluded.answer)
    INSERT INTO kept_analysis (job_id, provider, model, answer)
    SELECT job_id, provider, model, answer FROM answered WHERE purpose = 'analysis'
    ON CONFLICT (job_id) DO UPDATE
       SET earlier = CASE WHEN kept_analysis.provider = excluded.provider
                           AND kept_analysis.model = excluded.model
                          THEN kept_analysis.earlier || kept_analysis.answer || E'\n' ELSE '' END,
           provider = excluded.provider, model = excluded.model, answer = excluded.answer)sql"};

constexpr db::query kept_answer_query{"usage.kept_answer", R"sql(
    SELECT answer FROM kept_transcript
     WHERE job_id = $1 AND provider = $2 AND model = $3 AND $4 = 'transcription'
     UNION ALL
    SELECT earlier || answer FROM kept_analysis
     WHERE job_id = $1 AND provider = $2 AND model = $3 AND $4 = 'analysis')sql"};

// Answers that were cut off are kept as empty JSON strings.
constexpr db::query answered_model_query{"usage.answered_model", R"sql(
    SELECT provider || '/' || model FROM kept_analysis
     WHERE job_id = $1 AND translate(earlier || answer, E'"\n', '') <> '')sql"};

constexpr db::essential_query release_query{"usage.release_call", R"sql(
    DELETE FROM model_call WHERE id = $1 AND settled_at IS NULL)sql"};

constexpr db::essential_query release_unanswered_query{"usage.release_unanswered_call", R"sql(
    DELETE FROM model_call WHERE booking_key = $1 AND settled_at IS NULL)sql"};

// The age leaves a living worker time to settle its own call, even after an outage.
constexpr db::query settle_lost_query{"usage.settle_lost_calls", R"sql(
    WITH lost AS (
        SELECT id FROM model_call AS call
         WHERE settled_at IS NULL AND called_at < now() - interval '1 hour'
           AND NOT is_under_way(call)
         ORDER BY id LIMIT $1
           FOR UPDATE SKIP LOCKED)
    UPDATE model_call SET settled_at = now() FROM lost WHERE model_call.id = lost.id)sql"};

// Lost calls are in no total until settle_lost() has settled them.
constexpr db::query totals_query{"usage.totals", R"sql(
    SELECT provider, model, sum(calls)::bigint AS calls,
           sum(unpriced_calls)::bigint AS unpriced_calls,
           sum(prompt_tokens)::bigint AS prompt_tokens,
           sum(cached_prompt_tokens)::bigint AS cached_prompt_tokens,
           sum(output_tokens)::bigint AS output_tokens,
           sum(thinking_tokens)::bigint AS thinking_tokens,
           trim_scale(coalesce(max(audio_seconds), 0))::text AS audio_seconds,
           trim_scale(sum(cost_usd))::text AS cost_usd
      FROM (SELECT * FROM model_total
             UNION ALL
            SELECT provider, model, 1, 1, 0, 0, 0, 0, 0 FROM model_call AS call
             WHERE settled_at IS NULL AND NOT is_under_way(call)) AS part
      LEFT JOIN model_audio_total USING (provider, model)
     GROUP BY provider, model ORDER BY provider, model)sql"};

/// Returns the new call's number, or why there is none.
result<std::int64_t> begun_call(const db::rows& answer, const error& refusal) {
    const auto row = answer.one();
    if (const auto id = row.as<std::optional<std::int64_t>>("id")) return *id;
    if (row.as<bool>("is_spent")) {
        return error{errc::unauthorized, "the account's monthly budget is spent"};
    }
    return refusal;
}

}  // namespace

std::string new_booking_key() {
    return fmt::format("{:016x}{:016x}", random_bits(), random_bits());
}

awaitable<result<std::int64_t>> call_ledger_store::begin(call_intent call, deadline by) {
    invariant(call.calls_max > 0);
    const auto begun = co_await run(
        by,
        begin_query,
        call.job,
        call.claim,
        call.provider,
        call.model,
        call.calls_max,
        call.booking_key,
        call.purpose);
    if (!begun.one().as<bool>("is_held")) co_return error{errc::cancelled, "the claim has passed"};
    co_return begun_call(begun, error{errc::limit_reached, "the job has no paid calls left"});
}

awaitable<result<std::int64_t>> call_ledger_store::begin_for_account(
    account_call_intent call, deadline by) {
    const auto begun = co_await run(
        by,
        begin_for_account_query,
        call.account,
        call.job,
        call.provider,
        call.model,
        call.estimated_tokens,
        call.is_operators,
        call.booking_key,
        call.purpose);
    co_return begun_call(begun, error{errc::not_found, "the account was deleted"});
}

awaitable<bool> call_ledger_store::is_budget_spent(account_id account, deadline by) {
    return read_one<bool>(by, is_budget_spent_query, account);
}

awaitable<void> call_ledger_store::settle(std::int64_t call, call_usage used, deadline by) {
    return execute(
        by,
        settle_query,
        call,
        used.prompt_tokens,
        used.cached_prompt_tokens,
        used.output_tokens,
        used.thinking_tokens,
        used.cost_picodollars,
        used.modalities,
        used.response_id,
        used.audio_milliseconds,
        used.kept_answer);
}

awaitable<std::string> call_ledger_store::kept_answer(
    job_id job, std::string provider, std::string model, call_purpose purpose, deadline by) {
    auto answer =
        co_await read_optional<std::string>(by, kept_answer_query, job, provider, model, purpose);
    co_return std::move(answer).value_or("");
}

awaitable<std::string> call_ledger_store::answered_model(job_id job, deadline by) {
    auto model = co_await read_optional<std::string>(by, answered_model_query, job);
    co_return std::move(model).value_or("");
}

awaitable<void> call_ledger_store::release(std::int64_t call, deadline by) {
    return execute(by, release_query, call);
}

awaitable<void> call_ledger_store::release_unanswered(std::string booking_key, deadline by) {
    return execute(by, release_unanswered_query, booking_key);
}

awaitable<std::int64_t> call_ledger_store::settle_lost(int calls_max, deadline by) {
    invariant(calls_max > 0);
    return affected(by, settle_lost_query, calls_max);
}

awaitable<std::vector<model_total>> call_ledger_store::totals(deadline by) {
    return read_all<model_total>(by, totals_query);
}

}  // namespace reelsd::usage
