-- The clock of the database may be set back, by hours after a start with a wrong battery clock. What was put off until a
-- moment would then wait until the clock has caught up: jobs that are due, leases of daemons that are dead, buckets that
-- fill again, the platform's turns. Times that lie further ahead than anything is ever put off are brought back.
-- A clock that is set forward makes everything due at once, and no more than that: buckets are no fuller than full.

-- Brings back the times of jobs; how many there were. Costs two looks into small indexes when there are none.
CREATE FUNCTION mend_job_times() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    -- More than clocks of one machine ever differ, less than anybody minds.
    slack CONSTANT interval := interval '1 minute';
    -- No daemon's lease is longer.
    lease_max CONSTANT interval := interval '1 hour';
    mended bigint;
    more bigint;
BEGIN
    -- A pending job was put off when it last changed: what is left of that begins anew.
    UPDATE job
       SET run_at = now() + greatest(run_at - changed_at, interval '0'), changed_at = now()
     WHERE status = 'pending' AND run_at > now() AND changed_at > now() + slack;
    GET DIAGNOSTICS mended = ROW_COUNT;
    -- Whoever lives renews his lease, and sets it right himself. Of others it is not known how long theirs are, if they
    -- have been renewed: they end within the longest.
    UPDATE job
       SET lease_until = now() + least(
               lease_max, CASE WHEN changed_at > now() + slack THEN lease_until - changed_at END),
           changed_at = least(changed_at, now())
     WHERE status = 'processing' AND lease_until > now()
       AND (lease_until > now() + lease_max + slack OR changed_at > now() + slack);
    GET DIAGNOSTICS more = ROW_COUNT;
    RETURN mended + more;
END
$$;

-- Leave to try a resolver once, now.
--   interval_seconds: between the beginnings of two tries, already spread at random; 0: no pace of our own
--   hourly: tries an hour, at least 1
--   busy_seconds: how long a try may take; whoever died during one holds the others up no longer than that
--   heed_cooldown: whether the platform's wish counts
-- outcome: 'now', 'later' or 'cooling_down'; wait_seconds: 0 or how long to wait at least.
CREATE OR REPLACE FUNCTION ask_resolver_turn(
    of_host text, of_resolver text, interval_seconds double precision, hourly integer,
    busy_seconds double precision, heed_cooldown boolean)
RETURNS TABLE (outcome text, wait_seconds double precision)
LANGUAGE plpgsql AS $$
DECLARE
    pace resolver_pace%ROWTYPE;
    moment timestamptz;
    tokens double precision;
BEGIN
    INSERT INTO resolver_pace (host, resolver) VALUES (of_host, of_resolver) ON CONFLICT DO NOTHING;
    SELECT * INTO pace FROM resolver_pace
     WHERE host = of_host AND resolver = of_resolver FOR NO KEY UPDATE;
    moment := clock_timestamp();
    outcome := 'now';
    wait_seconds := 0;

    -- Nothing is ever put off for longer than this: what is, was written before the clock was set back. An interval
    -- is spread between half of itself and one and a half times.
    IF pace.next_at > moment + make_interval(secs => 3 * interval_seconds)
       OR pace.busy_until > moment + make_interval(secs => busy_seconds)
       OR pace.cooldown_until > moment + make_interval(secs => pace.cooldown_seconds)
       OR pace.hour_at > moment THEN
        UPDATE resolver_pace AS kept
           SET next_at = least(kept.next_at, moment + make_interval(secs => interval_seconds)),
               busy_until = least(kept.busy_until, moment + make_interval(secs => busy_seconds)),
               cooldown_until = least(
                   kept.cooldown_until, moment + make_interval(secs => kept.cooldown_seconds)),
               hour_at = least(kept.hour_at, moment)
         WHERE kept.host = of_host AND kept.resolver = of_resolver
        RETURNING kept.* INTO pace;
    END IF;

    IF heed_cooldown AND pace.cooldown_until > moment THEN
        outcome := 'cooling_down';
        wait_seconds := extract(epoch FROM pace.cooldown_until - moment);
    ELSIF interval_seconds > 0 THEN
        -- A clock that stepped back must not take tokens away.
        tokens := least(
            hourly,
            coalesce(pace.hour_tokens, hourly)
                + greatest(0, extract(epoch FROM moment - coalesce(pace.hour_at, moment)))
                  * hourly / 3600.0);
        IF pace.next_at > moment THEN
            wait_seconds := extract(epoch FROM pace.next_at - moment);
        END IF;
        IF tokens < 1 THEN
            wait_seconds := greatest(wait_seconds, (1 - tokens) * 3600.0 / hourly);
        END IF;
        IF pace.busy_until > moment THEN
            -- Nobody knows when a try ends; most take a second or two.
            wait_seconds := greatest(wait_seconds, least(
                1, extract(epoch FROM pace.busy_until - moment)));
        END IF;
        IF wait_seconds > 0 THEN
            outcome := 'later';
        ELSE
            UPDATE resolver_pace
               SET next_at = moment + make_interval(secs => interval_seconds),
                   busy_until = moment + make_interval(secs => busy_seconds),
                   hour_tokens = tokens - 1, hour_at = moment
             WHERE host = of_host AND resolver = of_resolver;
        END IF;
    END IF;
    RETURN NEXT;
END
$$;

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
CREATE OR REPLACE FUNCTION submit_job(
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
    -- A clock that was set back must neither take tokens away nor stop them from coming until it has caught up.
    IF owner.bucket_at > moment THEN
        UPDATE account SET bucket_at = moment WHERE id = caller;
        owner.bucket_at := moment;
    END IF;
    tokens := least(
        rate_limit,
        coalesce(owner.bucket_tokens, rate_limit)
            + greatest(0, extract(epoch FROM moment - coalesce(owner.bucket_at, moment)))
              * rate_limit / 60.0);

    IF repeat_key IS NOT NULL THEN
        DELETE FROM idempotency_key AS old
         WHERE old.account_id = caller AND old.created_at <= moment - interval '24 hours';
        -- For a day from now on: when it was really made is not known.
        UPDATE idempotency_key AS ahead SET created_at = moment
         WHERE ahead.account_id = caller AND ahead.created_at > moment;
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
