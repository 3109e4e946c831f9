-- Decides submissions of any accounts, each independently, and stores those that are admitted. All parameters except the
-- defaults have one element per submission.
--   queue_wishes: whether the job may wait beyond concurrent_jobs. If so, only the first link of a list costs a token
--   uploads: files to analyse instead of the links' videos; options: of the analysis, as JSON; null: none
--   keys: Idempotency-Keys; request_hashes, positions: of a list or an upload; null and 0 for a single link
-- number: of the submission, from 1. outcome: of decide_submissions(). tokens: left in the account's bucket. Returns no
-- rows for accounts that another transaction holds, if there are several: the caller has to repeat their submissions.
CREATE OR REPLACE FUNCTION submit_jobs(
    callers bigint[], links text[], fresh_wishes boolean[], money_costs boolean[], webhook_urls text[],
    keys text[], request_hashes text[], positions integer[], queue_wishes boolean[], uploads bigint[], options text[],
    rate_default integer, concurrent_default integer)
RETURNS TABLE (number integer, outcome text, job_id bigint, job_status job_status, job_limit integer, rate_limit integer,
    tokens double precision, retry_after integer, monthly_budget_usd numeric)
LANGUAGE plpgsql
-- A session that plans while the table is nearly empty may keep a plan that reads and sorts all jobs of an account.
SET enable_sort = off
AS $$
DECLARE
    last_claimed bigint := coalesce(pg_sequence_last_value('job_turn'), 0);
    owners account[] := lock_accounts(callers);
    moment timestamptz := clock_timestamp();
BEGIN
    -- One statement inserts all rows: a row in a separate statement costs several times as much.
    RETURN QUERY
    WITH decided AS MATERIALIZED (
        SELECT decision.*, owner.id AS account_id
          FROM unnest(owners) AS owner
          JOIN (SELECT caller, array_agg(place::integer ORDER BY place) AS numbers
                  FROM unnest(callers) WITH ORDINALITY AS sent (caller, place)
                 GROUP BY caller) AS batch
            ON batch.caller = owner.id
         CROSS JOIN LATERAL decide_submissions(
               owner, batch.numbers, moment,
               -- As in next_job_turn().
               1 + greatest(last_claimed, (
                   SELECT job.turn FROM job
                    WHERE job.account_id = owner.id AND job.status IN ('pending', 'processing')
                      AND job.turn < first_queued_turn()
                    ORDER BY job.account_id DESC, job.turn DESC LIMIT 1)),
               links, money_costs, keys, request_hashes, positions, queue_wishes, rate_default,
               concurrent_default) AS decision),
    inserted AS (
        INSERT INTO job (id, account_id, url, fresh, webhook_url, turn, waits_for, is_upload, options) OVERRIDING SYSTEM VALUE
        SELECT decision.job_id, decision.account_id, links[decision.number], fresh_wishes[decision.number], webhook_urls[decision.number],
               decision.turn, decision.waits_for, uploads[decision.number] IS NOT NULL, submit_jobs.options[decision.number]::json
          FROM decided AS decision WHERE decision.outcome = 'admitted'),
    linked AS (
        UPDATE upload SET job_id = decision.job_id
          FROM decided AS decision WHERE decision.outcome = 'admitted' AND upload.id = uploads[decision.number]),
    charged AS (
        UPDATE account
           SET bucket_tokens = changed.tokens, bucket_at = moment,
               active_jobs_at_most = changed.active, active_jobs_as_of = moment,
               default_concurrent_jobs = concurrent_default
          FROM (SELECT decision.account_id, min(decision.tokens) AS tokens, max(decision.active) AS active
                  FROM decided AS decision WHERE decision.outcome = 'admitted' GROUP BY decision.account_id) AS changed
         WHERE account.id = changed.account_id)
    SELECT decision.number, decision.outcome, decision.job_id, decision.job_status, decision.job_limit, decision.rate_limit, decision.tokens,
           decision.retry_after, decision.monthly_budget_usd
      FROM decided AS decision;
    IF true = ANY (queue_wishes) THEN
        PERFORM release_queued_jobs(owner.id) FROM unnest(owners) AS owner;
    END IF;
    IF cardinality(array_remove(keys, NULL)) > 0 THEN
        PERFORM expire_idempotency_keys(keyed.caller, moment)
           FROM (SELECT DISTINCT caller FROM unnest(callers, keys) AS sent (caller, key)
                  WHERE key IS NOT NULL) AS keyed;
    END IF;
END
$$;
