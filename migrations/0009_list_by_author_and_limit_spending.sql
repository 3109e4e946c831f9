-- What pages of reels and of costs ask for, and a limit on what an account may spend.

-- The calls of one reel, of whatever purpose.
CREATE INDEX model_call_of_reel ON model_call (job_id);

-- An account's reels by one author, newest first. Only the beginning of a name: an author is foreign text, and an
-- index takes no row of more than a third of a page.
CREATE INDEX job_of_author ON job (account_id, left(lower(author), 100), id DESC) WHERE status = 'done';

-- What an account may spend in a month is a number: neither infinite nor NaN, which is greater than all numbers.
ALTER TABLE account ADD CHECK (monthly_budget_usd < 'Infinity');

-- The cost of a month is added up from the index alone.
DROP INDEX model_call_of_account;
CREATE INDEX model_call_of_account ON model_call (account_id, called_at) INCLUDE (cost_usd);
ALTER TABLE model_call SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- When the month of a moment began, in UTC, whatever the session's time zone.
CREATE FUNCTION month_begin(moment timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT date_trunc('month', moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
$$;

DROP FUNCTION submit_job(bigint, text, boolean, text, integer, integer);

-- Admission and insert in one step. The account's row is locked first, so that requests that arrive at
-- the same moment, on whatever instance, are admitted one after the other and never one too many.
-- A refusal writes nothing and so costs nothing; neither does a repetition under the same key.
-- What jobs will cost is not known when they are admitted: a month's budget is spent once what its calls are known to
-- have cost has reached it, and no new job is admitted from then on.
--   costs_money: whether the job may ask a model that costs money
--   outcome: 'admitted', 'repeated' (the key's job of the last 24 hours), 'key_of_another_link',
--            'rate_limited' (submissions a minute), 'too_many_jobs' (at the same time) or
--            'budget_spent' (of this month)
--   rate_limit, rate_remaining, rate_reset: of the submission bucket; reset: seconds until it is full
--   retry_after: seconds until a refused request may succeed
--   monthly_budget_usd: null for none
CREATE FUNCTION submit_job(
    caller bigint, link text, want_fresh boolean, repeat_key text, costs_money boolean,
    rate_default integer, concurrent_default integer)
RETURNS TABLE (
    outcome text, job_id bigint, job_status job_status, job_limit integer,
    rate_limit integer, rate_remaining integer, rate_reset integer, retry_after integer,
    monthly_budget_usd numeric)
LANGUAGE plpgsql AS $$
DECLARE
    owner account%ROWTYPE;
    earlier job%ROWTYPE;
    moment timestamptz;
    tokens double precision;
    active bigint;
    is_spent boolean := false;
BEGIN
    SELECT * INTO owner FROM account WHERE id = caller FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'account % does not exist', caller USING ERRCODE = 'foreign_key_violation';
    END IF;

    moment := clock_timestamp();
    rate_limit := coalesce(owner.submissions_per_minute, rate_default);
    job_limit := coalesce(owner.concurrent_jobs, concurrent_default);
    monthly_budget_usd := owner.monthly_budget_usd;
    -- A clock that stepped back must not take tokens away.
    tokens := least(
        rate_limit,
        coalesce(owner.bucket_tokens, rate_limit)
            + greatest(0, extract(epoch FROM moment - coalesce(owner.bucket_at, moment)))
              * rate_limit / 60.0);

    IF repeat_key IS NOT NULL THEN
        DELETE FROM idempotency_key AS old
         WHERE old.account_id = caller AND old.created_at <= moment - interval '24 hours';
        SELECT job.* INTO earlier
          FROM idempotency_key AS used JOIN job ON job.id = used.job_id
         WHERE used.account_id = caller AND used.key = repeat_key;
    END IF;

    IF earlier.id IS NOT NULL THEN
        outcome := CASE WHEN earlier.url = link THEN 'repeated' ELSE 'key_of_another_link' END;
        job_id := earlier.id;
        job_status := earlier.status;
    ELSE
        SELECT count(*) INTO active FROM job
         WHERE account_id = caller AND status IN ('pending', 'processing');
        IF costs_money AND owner.monthly_budget_usd IS NOT NULL AND tokens >= 1 THEN
            SELECT coalesce(sum(cost_usd), 0) >= owner.monthly_budget_usd INTO is_spent FROM model_call
             WHERE account_id = caller AND called_at >= month_begin(moment);
        END IF;
        IF tokens < 1 THEN
            outcome := 'rate_limited';
            retry_after := greatest(1, ceil((1 - tokens) * 60.0 / rate_limit));
        ELSIF is_spent THEN
            outcome := 'budget_spent';
            retry_after := ceil(extract(epoch FROM
                (month_begin(moment) AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' - moment));
        ELSIF active >= job_limit THEN
            outcome := 'too_many_jobs';
            -- Nobody knows when a job ends; a local analysis takes about so long.
            retry_after := 5;
        ELSE
            outcome := 'admitted';
            tokens := tokens - 1;
            job_status := 'pending';
            INSERT INTO job (account_id, url, fresh) VALUES (caller, link, want_fresh)
                RETURNING id INTO job_id;
            UPDATE account SET bucket_tokens = tokens, bucket_at = moment WHERE id = caller;
            IF repeat_key IS NOT NULL THEN
                INSERT INTO idempotency_key (account_id, key, job_id, created_at)
                VALUES (caller, repeat_key, submit_job.job_id, moment);
            END IF;
        END IF;
    END IF;

    rate_remaining := floor(tokens);
    rate_reset := ceil((rate_limit - tokens) * 60.0 / rate_limit);
    RETURN NEXT;
END
$$;
