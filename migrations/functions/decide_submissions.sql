-- Decides the submissions of one account, whose row is locked, in order. Stores the keys of those that it admits.
--   numbers: their positions in the arrays; others as for submit_jobs()
-- outcome: 'admitted' (turn and waits_for are set), 'rate_limited', 'budget_spent', 'too_many_jobs', 'queue_full', or one of
-- find_submission(). job_limit: the limit that 'too_many_jobs' or 'queue_full' names.
-- waits_for: 'account' if the job may be beyond concurrent_jobs. The caller then calls release_queued_jobs().
-- tokens, active: the tokens left in the account's bucket, and the bound of its active jobs, after the decision.
CREATE OR REPLACE FUNCTION decide_submissions(
    owner account, numbers integer[], moment timestamptz, next_turn bigint, links text[], money_costs boolean[],
    keys text[], request_hashes text[], positions integer[], queue_wishes boolean[], rate_default integer,
    concurrent_default integer)
RETURNS TABLE (number integer, outcome text, job_id bigint, job_status job_status, job_limit integer, rate_limit integer,
    tokens double precision, retry_after integer, monthly_budget_usd numeric, turn bigint, waits_for text, active bigint)
LANGUAGE plpgsql ROWS 5 AS $$
DECLARE
    concurrent_max CONSTANT integer := coalesce(owner.concurrent_jobs, concurrent_default);
    queued_max CONSTANT integer := coalesce(owner.queued_jobs, 1000);
    is_spent boolean;
    request_hash text;
    admitted integer := 0;
    cost integer;
    charged_list text;  -- Hash of a list with queue, once its first link is admitted: its other links cost nothing.
BEGIN
    rate_limit := coalesce(owner.submissions_per_minute, rate_default);
    monthly_budget_usd := owner.monthly_budget_usd;
    tokens := tokens_at(owner, moment, rate_limit);
    is_spent := owner.monthly_budget_usd IS NOT NULL AND tokens >= 1 AND true = ANY (money_costs)
        AND budget_is_spent(owner.id);
    active := bound_active_jobs(owner, numbers, queue_wishes, concurrent_max, queued_max);
    FOREACH number IN ARRAY numbers LOOP
        outcome := NULL;
        job_id := NULL;
        job_status := NULL;
        retry_after := NULL;
        cost := CASE WHEN queue_wishes[number] AND request_hashes[number] = charged_list THEN 0 ELSE 1 END;
        job_limit := CASE WHEN queue_wishes[number] THEN queued_max ELSE concurrent_max END;
        IF keys[number] IS NOT NULL THEN
            request_hash := coalesce(request_hashes[number], hash_of_link(links[number]));
            SELECT found.outcome, found.job_id, found.job_status INTO outcome, job_id, job_status
              FROM find_submission(owner.id, keys[number], request_hash, positions[number], moment) AS found;
        END IF;
        IF outcome IS NOT NULL THEN NULL;
        ELSIF tokens < cost THEN
            outcome := 'rate_limited';
            retry_after := greatest(1, ceil((1 - tokens) * 60 / rate_limit));
        ELSIF money_costs[number] AND is_spent THEN
            outcome := 'budget_spent';
            retry_after := seconds_to_next_month(moment);
        ELSIF active >= concurrent_max + (CASE WHEN queue_wishes[number] THEN queued_max ELSE 0 END) THEN
            outcome := CASE WHEN queue_wishes[number] THEN 'queue_full' ELSE 'too_many_jobs' END;
            retry_after := 5;  -- The end of a job is not known; a local analysis takes about this long.
        ELSE
            outcome := 'admitted';
            job_status := 'pending';
            job_id := nextval('job_id_seq');
            waits_for := CASE WHEN active >= concurrent_max THEN 'account' END;
            turn := admitted + CASE WHEN waits_for IS NULL THEN next_turn ELSE next_queued_turn(owner.id) END;
            tokens := tokens - cost;
            charged_list := CASE WHEN queue_wishes[number] THEN request_hashes[number] END;
            admitted := admitted + 1;
            active := active + 1;
            IF keys[number] IS NOT NULL THEN
                PERFORM store_submission_key(owner.id, keys[number], positions[number], request_hash, job_id, moment);
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
