-- Decides the submissions of one account, whose row is locked, in their order. Stores the keys of those that it admits.
--   numbers: their places in the arrays; others as for submit_jobs()
-- outcome: 'admitted', 'rate_limited', 'budget_spent', 'too_many_jobs', or one of find_submission().
CREATE OR REPLACE FUNCTION decide_submissions(
    owner account, numbers integer[], moment timestamptz, next_turn bigint, links text[], money_costs boolean[],
    keys text[], request_hashes text[], positions integer[], rate_default integer, concurrent_default integer)
RETURNS SETOF submission_decision
LANGUAGE plpgsql AS $$
DECLARE
    answer submission_decision;
    is_spent boolean;
    request_hash text;
BEGIN
    answer.account_id := owner.id;
    answer.rate_limit := coalesce(owner.submissions_per_minute, rate_default);
    answer.job_limit := coalesce(owner.concurrent_jobs, concurrent_default);
    answer.monthly_budget_usd := owner.monthly_budget_usd;
    answer.tokens := least(answer.rate_limit, coalesce(
        owner.bucket_tokens + greatest(0, date_part('epoch', moment - owner.bucket_at)) * answer.rate_limit / 60,
        answer.rate_limit));
    is_spent := owner.monthly_budget_usd IS NOT NULL AND answer.tokens >= 1 AND true = ANY (money_costs)
        AND budget_is_spent(owner.id);
    IF owner.active_jobs_as_of = owner.bucket_at THEN
        answer.active := owner.active_jobs_at_most;
    END IF;
    IF answer.active IS NULL OR answer.active + cardinality(numbers) > answer.job_limit THEN
        answer.active := count_active_jobs(owner.id, answer.job_limit);
    END IF;
    FOREACH answer.number IN ARRAY numbers LOOP
        answer.outcome := NULL;
        answer.job_id := NULL;
        answer.job_status := NULL;
        answer.retry_after := NULL;
        answer.turn := NULL;
        IF keys[answer.number] IS NOT NULL THEN
            request_hash := coalesce(request_hashes[answer.number], hash_of_link(links[answer.number]));
            SELECT * INTO answer.outcome, answer.job_id, answer.job_status FROM find_submission(
                owner.id, keys[answer.number], request_hash, positions[answer.number], moment);
        END IF;
        IF answer.outcome IS NOT NULL THEN
            NULL;
        ELSIF answer.tokens < 1 THEN
            answer.outcome := 'rate_limited';
            answer.retry_after := greatest(1, ceil((1 - answer.tokens) * 60 / answer.rate_limit));
        ELSIF money_costs[answer.number] AND is_spent THEN
            answer.outcome := 'budget_spent';
            answer.retry_after := ceil(extract(epoch FROM
                (month_begin(moment) AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' - moment));
        ELSIF answer.active >= answer.job_limit THEN
            answer.outcome := 'too_many_jobs';
            answer.retry_after := 5;  -- When a job ends is not known; a local analysis takes about this long.
        ELSE
            answer.outcome := 'admitted';
            answer.job_status := 'pending';
            answer.job_id := nextval('job_id_seq');
            answer.turn := next_turn;
            answer.tokens := answer.tokens - 1;
            answer.active := answer.active + 1;
            next_turn := next_turn + 1;
            IF keys[answer.number] IS NOT NULL THEN
                PERFORM store_submission_key(
                    answer, keys[answer.number], positions[answer.number], request_hash, moment);
            END IF;
        END IF;
        RETURN NEXT answer;
    END LOOP;
END
$$;
