-- Decides the submissions of one account, whose row is locked, in their order. Stores the keys of those that it admits.
--   numbers: their places in the arrays; others as for submit_jobs()
-- outcome: 'admitted' (turn is set), 'rate_limited', 'budget_spent', 'too_many_jobs', or one of find_submission().
-- tokens, active: what the account's bucket has left, and the bound of its active jobs, after the decision.
CREATE OR REPLACE FUNCTION decide_submissions(
    owner account, numbers integer[], moment timestamptz, next_turn bigint, links text[], money_costs boolean[],
    keys text[], request_hashes text[], positions integer[], rate_default integer, concurrent_default integer)
RETURNS TABLE (
    number integer, outcome text, job_id bigint, job_status job_status, job_limit integer, rate_limit integer,
    tokens double precision, retry_after integer, monthly_budget_usd numeric, turn bigint, active bigint)
LANGUAGE plpgsql ROWS 5 AS $$
DECLARE
    is_spent boolean;
    request_hash text;
BEGIN
    rate_limit := coalesce(owner.submissions_per_minute, rate_default);
    job_limit := coalesce(owner.concurrent_jobs, concurrent_default);
    monthly_budget_usd := owner.monthly_budget_usd;
    tokens := least(rate_limit, coalesce(
        owner.bucket_tokens + greatest(0, date_part('epoch', moment - owner.bucket_at)) * rate_limit / 60, rate_limit));
    is_spent := owner.monthly_budget_usd IS NOT NULL AND tokens >= 1 AND true = ANY (money_costs)
        AND budget_is_spent(owner.id);
    active := CASE WHEN owner.active_jobs_as_of = owner.bucket_at THEN owner.active_jobs_at_most END;
    IF active IS NULL OR active + cardinality(numbers) > job_limit THEN
        active := count_active_jobs(owner.id, job_limit);
    END IF;
    turn := next_turn - 1;
    FOREACH number IN ARRAY numbers LOOP
        outcome := NULL;
        job_id := NULL;
        job_status := NULL;
        retry_after := NULL;
        IF keys[number] IS NOT NULL THEN
            request_hash := coalesce(request_hashes[number], hash_of_link(links[number]));
            SELECT found.outcome, found.job_id, found.job_status INTO outcome, job_id, job_status
              FROM find_submission(owner.id, keys[number], request_hash, positions[number], moment) AS found;
        END IF;
        IF outcome IS NOT NULL THEN
            NULL;
        ELSIF tokens < 1 THEN
            outcome := 'rate_limited';
            retry_after := greatest(1, ceil((1 - tokens) * 60 / rate_limit));
        ELSIF money_costs[number] AND is_spent THEN
            outcome := 'budget_spent';
            retry_after := ceil(extract(epoch FROM
                (month_begin(moment) AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' - moment));
        ELSIF active >= job_limit THEN
            outcome := 'too_many_jobs';
            retry_after := 5;  -- When a job ends is not known; a local analysis takes about this long.
        ELSE
            outcome := 'admitted';
            job_status := 'pending';
            job_id := nextval('job_id_seq');
            turn := turn + 1;
            tokens := tokens - 1;
            active := active + 1;
            IF keys[number] IS NOT NULL THEN
                PERFORM store_submission_key(
                    owner.id, keys[number], positions[number], request_hash, job_id, moment);
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
