-- Submissions check the other uses of their Idempotency-Key themselves, with the account's row held. Before, the daemon
-- looked before it submitted: of a link and a list, or of two lists, under one key at the same moment both were admitted.
-- They also delete a bounded number of expired keys. A hundred thousand of one account held up the submissions of others.

-- As before, with the columns that rivals need.
--   rival_keys: other uses of the caller's key that refuse this one: this key,
--   rival_stems: and any key that begins so; empty when there are no rivals,
--   own_stems: unless it begins so
CREATE FUNCTION submit_jobs(
    callers bigint[], links text[], fresh_wishes boolean[], repeat_keys text[], money_costs boolean[],
    webhook_urls text[], rival_keys text[], rival_stems text[], own_stems text[],
    rate_default integer, concurrent_default integer)
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
    is_rivalled boolean;
    -- The submission that is_rivalled is about. The elements of a list have the same rivals.
    rivalled_number integer;
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
        rivalled_number := NULL;
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
            -- A part of them, because other accounts wait for this statement; the next submissions delete more. Locked rows
            -- are left to those as well.
            DELETE FROM idempotency_key
             WHERE ctid = ANY (ARRAY(
                   SELECT old.ctid FROM idempotency_key AS old
                    WHERE old.account_id = owner.id AND old.created_at <= moment - interval '24 hours'
                    ORDER BY old.created_at LIMIT 1000
                      FOR UPDATE SKIP LOCKED));
            -- For a day from now on: when it was really made is not known.
            UPDATE idempotency_key SET created_at = moment
             WHERE ctid = ANY (ARRAY(
                   SELECT ahead.ctid FROM idempotency_key AS ahead
                    WHERE ahead.account_id = owner.id AND ahead.created_at > moment
                    ORDER BY ahead.created_at LIMIT 1000
                      FOR UPDATE SKIP LOCKED));
        END IF;

        FOREACH number IN ARRAY owner.numbers LOOP
            outcome := NULL;
            job_id := NULL;
            job_status := NULL;
            retry_after := NULL;
            IF rival_stems[number] <> '' THEN
                IF rivalled_number IS NULL
                   OR (rival_keys[number], rival_stems[number], own_stems[number]) IS DISTINCT FROM
                      (rival_keys[rivalled_number], rival_stems[rivalled_number], own_stems[rivalled_number]) THEN
                    rivalled_number := number;
                    -- A range of the primary key contains the stem in any collation, and more in some.
                    is_rivalled := EXISTS (
                        SELECT FROM idempotency_key AS used
                         WHERE used.account_id = owner.id AND used.key = rival_keys[number]
                           AND used.created_at > moment - interval '24 hours')
                        OR EXISTS (
                        SELECT FROM idempotency_key AS used
                         WHERE used.account_id = owner.id
                           AND used.key > rival_stems[number] AND used.key < rival_stems[number] || 'z'
                           AND starts_with(used.key, rival_stems[number])
                           AND (own_stems[number] IS NULL OR NOT starts_with(used.key, own_stems[number]))
                           AND used.created_at > moment - interval '24 hours');
                END IF;
                IF is_rivalled THEN
                    outcome := 'key_of_another_link';
                END IF;
            END IF;
            IF outcome IS NULL AND repeat_keys[number] IS NOT NULL THEN
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
                is_spent := budget_is_spent(owner.id);
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
                    VALUES (owner.id, repeat_keys[number], submit_jobs.job_id, moment)
                    -- An expired key that has not been deleted yet.
                    ON CONFLICT ON CONSTRAINT idempotency_key_pkey
                        DO UPDATE SET job_id = excluded.job_id, created_at = excluded.created_at;
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

-- As earlier releases call it, without rivals: they look for those themselves.
CREATE OR REPLACE FUNCTION submit_jobs(
    callers bigint[], links text[], fresh_wishes boolean[], repeat_keys text[], money_costs boolean[],
    webhook_urls text[], rate_default integer, concurrent_default integer)
RETURNS TABLE (
    number integer, outcome text, job_id bigint, job_status job_status, job_limit integer,
    rate_limit integer, rate_remaining integer, rate_reset integer, retry_after integer,
    monthly_budget_usd numeric)
LANGUAGE sql AS $$
    SELECT * FROM submit_jobs(
        callers, links, fresh_wishes, repeat_keys, money_costs, webhook_urls,
        array_fill(NULL::text, ARRAY[cardinality(callers)]), array_fill(''::text, ARRAY[cardinality(callers)]),
        array_fill(NULL::text, ARRAY[cardinality(callers)]), rate_default, concurrent_default)
$$;
