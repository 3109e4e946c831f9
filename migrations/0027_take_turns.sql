-- The order in which jobs are worked on. It was the order in which they became due, over all accounts: a thousand jobs of
-- one account kept everybody else's waiting, and jobs that waited for the platform came back in no order at all, with a
-- claim and a report for each of them in each interval. See docs/adr/0032.
--
-- Each job has a turn: one more than the account's last active one, and than the last turn that was claimed. Claims take
-- the lowest turn, so accounts alternate job by job, and an account's own jobs keep the order of their submission.
-- A job that waits for something is outside of the index that claims read, and keeps its turn.

-- The last turn that was claimed. A sequence, because it is read without a lock and may lag behind.
CREATE SEQUENCE job_turn;

ALTER TABLE job
    -- 0: jobs from before this migration come first, in the order of their ids.
    ADD COLUMN turn bigint NOT NULL DEFAULT 0,
    -- Why a pending job cannot be claimed: null for one that can, 'time' until run_at has passed, or else the host of the
    -- platform that it waits to be admitted to. No host is called "time" without a domain.
    ADD COLUMN waits_for text,
    -- The resolver that a job in work may ask, or has been allowed to ask. Null before.
    ADD COLUMN permit text;

-- What the last release has put off.
UPDATE job SET waits_for = 'time' WHERE status = 'pending' AND run_at > now();

-- As before (0008), and keeps what a job waits for and its permit in step with its status. Daemons of the last release
-- know neither: what they put off waits for its time as well.
CREATE OR REPLACE FUNCTION note_job_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := clock_timestamp();
    IF NEW.status <> 'processing' OR NEW.claim <> OLD.claim THEN
        NEW.step := NULL;
    END IF;
    IF NEW.status <> 'processing' THEN
        NEW.permit := NULL;
    END IF;
    IF NEW.status <> 'pending' THEN
        NEW.waits_for := NULL;
    ELSIF NEW.waits_for IS NULL AND NEW.run_at > now() THEN
        NEW.waits_for := 'time';
    END IF;
    RETURN NEW;
END
$$;

-- The turn of an account's next job. The caller holds the account's row.
CREATE FUNCTION next_job_turn(of_account bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN 1 + greatest(
        coalesce(pg_sequence_last_value('job_turn'), 0),
        (SELECT turn FROM job
          WHERE account_id = of_account AND status IN ('pending', 'processing')
          ORDER BY account_id DESC, turn DESC LIMIT 1));
END
$$;

-- As before (0021), and each job gets its turn.
CREATE OR REPLACE FUNCTION submit_jobs(
    callers bigint[], links text[], fresh_wishes boolean[], repeat_keys text[], money_costs boolean[],
    webhook_urls text[], rate_default integer, concurrent_default integer)
RETURNS TABLE (
    number integer, outcome text, job_id bigint, job_status job_status, job_limit integer,
    rate_limit integer, rate_remaining integer, rate_reset integer, retry_after integer,
    monthly_budget_usd numeric)
LANGUAGE plpgsql AS $$
DECLARE
    owners account[];
    owner record;
    earlier job%ROWTYPE;
    moment timestamptz;
    tokens double precision;
    active bigint;
    has_admitted boolean;
    next_turn bigint;
    last_claimed bigint := coalesce(pg_sequence_last_value('job_turn'), 0);
    is_spent boolean;
    decided integer := 0;
    -- What is written at the end, in one statement each: what a row costs in a statement of its own is several times the
    -- row.
    new_ids bigint[] := '{}';
    new_numbers integer[] := '{}';
    new_turns bigint[] := '{}';
    changed_ids bigint[] := '{}';
    changed_tokens double precision[] := '{}';
    changed_active bigint[] := '{}';
BEGIN
    -- In the order of accounts: two statements that want the same ones wait for each other in one direction only.
    IF callers[1] = ALL (callers) THEN
        SELECT array_agg(held.whole) INTO owners
          FROM (SELECT account AS whole FROM account WHERE id = callers[1] FOR NO KEY UPDATE) AS held;
        IF owners IS NULL THEN
            RAISE EXCEPTION 'account % does not exist', callers[1] USING ERRCODE = 'foreign_key_violation';
        END IF;
    ELSE
        SELECT array_agg(held.whole) INTO owners
          FROM (SELECT account AS whole FROM account
                 WHERE id = ANY (callers) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) AS held;
    END IF;
    moment := clock_timestamp();

    FOR owner IN
        SELECT account.*, wanted.numbers, wanted.has_keys,
               -- As in next_job_turn().
               (SELECT turn FROM job
                 WHERE account_id = account.id AND status IN ('pending', 'processing')
                 ORDER BY account_id DESC, turn DESC LIMIT 1) AS last_turn
          FROM unnest(owners) AS account
          JOIN (SELECT caller, array_agg(place::integer ORDER BY place) AS numbers,
                       bool_or(repeat_key IS NOT NULL) AS has_keys
                  FROM unnest(callers, repeat_keys) WITH ORDINALITY AS sent (caller, repeat_key, place)
                 GROUP BY caller) AS wanted
            ON wanted.caller = account.id
    LOOP
        rate_limit := coalesce(owner.submissions_per_minute, rate_default);
        job_limit := coalesce(owner.concurrent_jobs, concurrent_default);
        monthly_budget_usd := owner.monthly_budget_usd;
        has_admitted := false;
        next_turn := 1 + greatest(last_claimed, owner.last_turn);
        is_spent := NULL;  -- Not known yet.
        -- A clock that was set back must neither take tokens away nor stop them from coming until it has caught up.
        IF owner.bucket_at > moment THEN
            UPDATE account SET bucket_at = moment WHERE id = owner.id;
            owner.bucket_at := moment;
        END IF;
        tokens := least(
            rate_limit,
            coalesce(
                owner.bucket_tokens + greatest(0, date_part('epoch', moment - owner.bucket_at)) * rate_limit / 60,
                rate_limit));
        active := NULL;
        IF owner.active_jobs_as_of = owner.bucket_at THEN
            active := owner.active_jobs_at_most;
        END IF;
        IF active IS NULL OR active + cardinality(owner.numbers) > job_limit THEN
            -- Only now, with the row held: a statement sees what was there when it began. How many there are beyond the
            -- limit makes no difference, for then nothing is admitted.
            SELECT count(*) INTO active FROM (
                SELECT FROM job WHERE account_id = owner.id AND status IN ('pending', 'processing')
                 LIMIT job_limit) AS some_of_them;
        END IF;

        IF owner.has_keys THEN
            -- Whatever somebody else is at, who may be slow: it is for the next time.
            DELETE FROM idempotency_key
             WHERE ctid = ANY (ARRAY(
                   SELECT old.ctid FROM idempotency_key AS old
                    WHERE old.account_id = owner.id AND old.created_at <= moment - interval '24 hours'
                      FOR UPDATE SKIP LOCKED));
            -- For a day from now on: when it was really made is not known.
            UPDATE idempotency_key SET created_at = moment
             WHERE ctid = ANY (ARRAY(
                   SELECT ahead.ctid FROM idempotency_key AS ahead
                    WHERE ahead.account_id = owner.id AND ahead.created_at > moment
                      FOR UPDATE SKIP LOCKED));
        END IF;

        FOREACH number IN ARRAY owner.numbers LOOP
            outcome := NULL;
            job_id := NULL;
            job_status := NULL;
            retry_after := NULL;
            IF repeat_keys[number] IS NOT NULL THEN
                SELECT job.* INTO earlier
                  FROM idempotency_key AS used JOIN job ON job.id = used.job_id
                 WHERE used.account_id = owner.id AND used.key = repeat_keys[number]
                   AND used.created_at > moment - interval '24 hours';
                IF earlier.id IS NOT NULL THEN
                    outcome := CASE WHEN earlier.url = links[number] THEN 'repeated' ELSE 'key_of_another_link' END;
                    job_id := earlier.id;
                    job_status := earlier.status;
                END IF;
            END IF;

            IF outcome IS NULL AND is_spent IS NULL AND tokens >= 1 AND money_costs[number]
               AND owner.monthly_budget_usd IS NOT NULL THEN
                SELECT coalesce(sum(cost_usd), 0) >= owner.monthly_budget_usd INTO is_spent FROM model_call
                 WHERE account_id = owner.id AND called_at >= month_begin(moment);
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
                -- Nobody knows when a job ends; a local analysis takes about so long.
                retry_after := 5;
            ELSE
                outcome := 'admitted';
                has_admitted := true;
                tokens := tokens - 1;
                active := active + 1;
                job_status := 'pending';
                job_id := nextval('job_id_seq');
                IF repeat_keys[number] IS NULL THEN
                    new_ids := new_ids || job_id;
                    new_numbers := new_numbers || number;
                    new_turns := new_turns || next_turn;
                ELSE
                    -- At once: the same key may come again among these.
                    INSERT INTO job (id, account_id, url, fresh, webhook_url, turn) OVERRIDING SYSTEM VALUE
                    VALUES (job_id, owner.id, links[number], fresh_wishes[number], webhook_urls[number], next_turn);
                    INSERT INTO idempotency_key (account_id, key, job_id, created_at)
                    VALUES (owner.id, repeat_keys[number], submit_jobs.job_id, moment);
                END IF;
                next_turn := next_turn + 1;
            END IF;

            rate_remaining := floor(tokens);
            rate_reset := ceil((rate_limit - tokens) * 60 / rate_limit);
            decided := decided + 1;
            RETURN NEXT;
        END LOOP;
        IF has_admitted THEN
            changed_ids := changed_ids || owner.id;
            changed_tokens := changed_tokens || tokens;
            changed_active := changed_active || active;
        END IF;
    END LOOP;

    INSERT INTO job (id, account_id, url, fresh, webhook_url, turn) OVERRIDING SYSTEM VALUE
    SELECT made.id, callers[made.place], links[made.place], fresh_wishes[made.place], webhook_urls[made.place],
           made.turn
      FROM unnest(new_ids, new_numbers, new_turns) AS made (id, place, turn);
    UPDATE account
       SET bucket_tokens = changed.left_over, bucket_at = moment,
           active_jobs_at_most = changed.active, active_jobs_as_of = moment
      FROM unnest(changed_ids, changed_tokens, changed_active) AS changed (id, left_over, active)
     WHERE account.id = changed.id;

    IF decided = cardinality(callers) THEN
        RETURN;
    END IF;
    job_id := NULL;
    job_status := NULL;
    job_limit := NULL;
    rate_limit := NULL;
    rate_remaining := NULL;
    rate_reset := NULL;
    retry_after := NULL;
    monthly_budget_usd := NULL;
    FOR number IN
        SELECT sent.place
          FROM unnest(callers) WITH ORDINALITY AS sent (caller, place)
         WHERE NOT EXISTS (SELECT FROM unnest(owners) AS held WHERE held.id = sent.caller)
    LOOP
        outcome := 'account_busy';
        RETURN NEXT;
    END LOOP;
END
$$;

-- As before (0021), and each job gets its turn.
CREATE OR REPLACE FUNCTION resubmit_jobs(failed_ids bigint[])
RETURNS TABLE (failed bigint, anew bigint)
LANGUAGE plpgsql AS $$
DECLARE
    old job%ROWTYPE;
BEGIN
    PERFORM FROM account
      WHERE id IN (SELECT job.account_id FROM job WHERE job.id = ANY (failed_ids)) ORDER BY id FOR NO KEY UPDATE;
    FOR old IN
        SELECT job.* FROM job JOIN account ON account.id = job.account_id
         WHERE job.id = ANY (failed_ids) AND job.status = 'error' AND account.disabled_at IS NULL
         ORDER BY job.id FOR UPDATE OF job SKIP LOCKED
    LOOP
        CONTINUE WHEN EXISTS (
            SELECT FROM job
             WHERE job.account_id = old.account_id AND job.url = old.url
               AND job.status IN ('pending', 'processing'));
        failed := old.id;
        INSERT INTO job (account_id, url, fresh, webhook_url, turn)
        VALUES (old.account_id, old.url, old.fresh, old.webhook_url, next_job_turn(old.account_id))
        RETURNING id INTO anew;
        UPDATE account SET active_jobs_at_most = active_jobs_at_most + 1 WHERE account.id = old.account_id;
        RETURN NEXT;
    END LOOP;
END
$$;

-- As before (0012): what was put off waits for its time.
CREATE OR REPLACE FUNCTION mend_job_times() RETURNS bigint LANGUAGE plpgsql AS $$
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
     WHERE status = 'pending' AND waits_for = 'time' AND run_at > now() AND changed_at > now() + slack;
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
