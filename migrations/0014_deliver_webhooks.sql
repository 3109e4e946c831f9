-- When a job ends, its account's programs are told: see docs/adr/0020. What is to be told is a row that the statement which
-- ends the job makes, whoever runs it, so that nothing is lost with a daemon.

-- Where the account's jobs are told that name no address of their own. A table of its own: the account's row is written by
-- each submission.
CREATE TABLE webhook_default (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048)
);

-- What deliveries are signed with, as the owner sees it: `whsec_` and base64. It has to sign, so that no hash would do.
CREATE TABLE webhook_secret (
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    secret text NOT NULL CHECK (secret LIKE 'whsec\_%'),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Until then it signs beside the one that has taken its place. Null: the one of now.
    expires_at timestamptz,
    PRIMARY KEY (account_id, secret)
);
CREATE UNIQUE INDEX webhook_secret_current ON webhook_secret (account_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_secret_expiry ON webhook_secret (expires_at) WHERE expires_at IS NOT NULL;

-- Puts `made` in the place of the secret of now, which signs on for a day. Of older ones that still sign, the two newest go
-- on: signatures stand in a header.
CREATE FUNCTION rotate_webhook_secret(owner bigint, made text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- One after the other: two who rotate at the same moment must not both find the same one to replace.
    PERFORM FROM account WHERE id = owner FOR NO KEY UPDATE;
    UPDATE webhook_secret SET expires_at = now() + interval '24 hours'
     WHERE account_id = owner AND expires_at IS NULL;
    DELETE FROM webhook_secret
     WHERE account_id = owner AND secret NOT IN (
           SELECT kept.secret FROM webhook_secret AS kept
            WHERE kept.account_id = owner ORDER BY kept.expires_at DESC LIMIT 3);
    -- Somebody may have asked for the first one meanwhile.
    INSERT INTO webhook_secret (account_id, secret) VALUES (owner, made)
    ON CONFLICT (account_id) WHERE expires_at IS NULL
    DO UPDATE SET secret = excluded.secret, created_at = now();
END
$$;

ALTER TABLE job
    -- Where its own end is told; null: at the account's default, if there is one.
    ADD COLUMN webhook_url text,
    -- Every row that was there has none.
    ADD CONSTRAINT job_webhook_url CHECK (length(webhook_url) BETWEEN 1 AND 2048) NOT VALID;

CREATE TYPE webhook_state AS ENUM ('pending', 'delivered', 'failed');

CREATE TABLE webhook_delivery (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    job_id bigint NOT NULL UNIQUE REFERENCES job ON DELETE CASCADE,
    -- `webhook-id`: the same for all tries.
    message_id text NOT NULL UNIQUE DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
    -- Where the last try went, or where the first one is to go.
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
    -- What tells receivers apart: a backlog of one that hangs is passed over without looking at its jobs.
    receiver text NOT NULL GENERATED ALWAYS AS (substring(url FROM '^[^?#]*')) STORED,
    state webhook_state NOT NULL DEFAULT 'pending',
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The next try; while one is under way, the end of its lease.
    due_at timestamptz NOT NULL DEFAULT now(),
    -- No try begins later, but for a first one.
    give_up_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
    -- As in job: a report names the claim that it belongs to.
    claim integer NOT NULL DEFAULT 0 CHECK (claim >= 0),
    lease_until timestamptz,
    -- All tries, and those since it was last asked for: a redelivery begins anew.
    tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    round_tries integer NOT NULL DEFAULT 0 CHECK (round_tries BETWEEN 0 AND tries),
    tried_at timestamptz,
    -- Of the last try: what it was answered with, and why that was no success.
    status_code integer CHECK (status_code BETWEEN 100 AND 999),
    cause text CHECK (cause <> ''),
    ended_at timestamptz,
    -- When it was last put off, by the database's clock.
    changed_at timestamptz NOT NULL DEFAULT now(),

    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (state = 'pending' OR lease_until IS NULL),
    CHECK (state <> 'failed' OR cause IS NOT NULL),
    CHECK (state <> 'delivered' OR (status_code BETWEEN 200 AND 299 AND cause IS NULL))
);
CREATE INDEX webhook_delivery_of_account ON webhook_delivery (account_id, id DESC);
CREATE INDEX webhook_delivery_due ON webhook_delivery (due_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE state <> 'pending';

CREATE FUNCTION make_webhook_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    address text := NEW.webhook_url;
BEGIN
    IF address IS NULL THEN
        SELECT url INTO address FROM webhook_default WHERE account_id = NEW.account_id;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO webhook_delivery (account_id, job_id, url) VALUES (NEW.account_id, NEW.id, address)
    ON CONFLICT (job_id) DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER job_webhook AFTER UPDATE OF status ON job
    FOR EACH ROW
    WHEN (NEW.status IN ('done', 'error') AND OLD.status NOT IN ('done', 'error'))
    EXECUTE FUNCTION make_webhook_delivery();

-- Brings back what a clock that was set back since would put off for too long; see migration 0012.
CREATE FUNCTION mend_webhook_times() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    -- More than clocks of one machine ever differ, less than anybody minds.
    slack CONSTANT interval := interval '1 minute';
    mended bigint;
BEGIN
    UPDATE webhook_delivery
       SET due_at = now() + greatest(due_at - changed_at, interval '0'),
           give_up_at = now() + greatest(give_up_at - changed_at, interval '0'), changed_at = now()
     WHERE state = 'pending' AND due_at > now() AND changed_at > now() + slack;
    GET DIAGNOSTICS mended = ROW_COUNT;
    RETURN mended;
END
$$;

-- The function of migration 0013 with one column more. Older daemons call that one.

-- Admission and insert in one step. Each account's row is locked first, so that requests that arrive at the same moment,
-- on whatever instance, are admitted one after the other and never one too many. A refusal writes nothing and so costs
-- nothing; neither does a repetition under the same key. Of one account, earlier elements are decided before later ones.
-- What jobs will cost is not known when they are admitted: a month's budget is spent once what its calls are known to
-- have cost has reached it, and no new job is admitted from then on.
--   money_costs: whether the job may ask a model that costs money
--   webhook_urls: where its end is told; null: at the account's default
--   number: the element, from 1 on; each has one row
--   outcome: 'admitted', 'repeated' (the key's job of the last 24 hours), 'key_of_another_link',
--            'rate_limited' (submissions a minute), 'too_many_jobs' (at the same time),
--            'budget_spent' (of this month), or, if there are elements of other accounts, 'account_busy': somebody else
--            is at the account's row, for which the others are not to wait; all other columns are null then
--   rate_limit, rate_remaining, rate_reset: of the submission bucket; reset: seconds until it is full
--   retry_after: seconds until a refused request may succeed
--   monthly_budget_usd: null for none
CREATE FUNCTION submit_jobs(
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
    is_spent boolean;
    decided integer[] := '{}';
    -- What is written at the end, in one statement each: what a row costs in a statement of its own is several times the
    -- row.
    new_ids bigint[] := '{}';
    new_numbers integer[] := '{}';
    drained bigint[] := '{}';
    drained_to double precision[] := '{}';
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

    -- Only now, with the rows held: a statement sees what was there when it began.
    FOR owner IN
        SELECT account.*, wanted.numbers, counted.active
          FROM unnest(owners) AS account
          JOIN (SELECT caller, array_agg(place::integer ORDER BY place) AS numbers
                  FROM unnest(callers) WITH ORDINALITY AS sent (caller, place) GROUP BY caller) AS wanted
            ON wanted.caller = account.id
         CROSS JOIN LATERAL (
               -- How many there are beyond the limit makes no difference.
               SELECT count(*) AS active FROM (
                   SELECT FROM job WHERE account_id = account.id AND status IN ('pending', 'processing')
                    LIMIT coalesce(account.concurrent_jobs, concurrent_default)) AS some_of_them) AS counted
    LOOP
        rate_limit := coalesce(owner.submissions_per_minute, rate_default);
        job_limit := coalesce(owner.concurrent_jobs, concurrent_default);
        monthly_budget_usd := owner.monthly_budget_usd;
        active := owner.active;
        is_spent := NULL;  -- Not known yet.
        -- A clock that was set back must neither take tokens away nor stop them from coming until it has caught up.
        IF owner.bucket_at > moment THEN
            UPDATE account SET bucket_at = moment WHERE id = owner.id;
            owner.bucket_at := moment;
        END IF;
        tokens := least(
            rate_limit,
            coalesce(owner.bucket_tokens, rate_limit)
                + greatest(0, extract(epoch FROM moment - coalesce(owner.bucket_at, moment)))
                  * rate_limit / 60.0);

        IF EXISTS (SELECT FROM unnest(owner.numbers) AS place WHERE repeat_keys[place] IS NOT NULL) THEN
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
                retry_after := greatest(1, ceil((1 - tokens) * 60.0 / rate_limit));
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
                tokens := tokens - 1;
                active := active + 1;
                job_status := 'pending';
                job_id := nextval('job_id_seq');
                IF repeat_keys[number] IS NULL THEN
                    new_ids := new_ids || job_id;
                    new_numbers := new_numbers || number;
                ELSE
                    -- At once: the same key may come again among these.
                    INSERT INTO job (id, account_id, url, fresh, webhook_url) OVERRIDING SYSTEM VALUE
                    VALUES (job_id, owner.id, links[number], fresh_wishes[number], webhook_urls[number]);
                    INSERT INTO idempotency_key (account_id, key, job_id, created_at)
                    VALUES (owner.id, repeat_keys[number], submit_jobs.job_id, moment);
                END IF;
                IF drained[cardinality(drained)] = owner.id THEN
                    drained_to[cardinality(drained)] := tokens;
                ELSE
                    drained := drained || owner.id;
                    drained_to := drained_to || tokens;
                END IF;
            END IF;

            rate_remaining := floor(tokens);
            rate_reset := ceil((rate_limit - tokens) * 60.0 / rate_limit);
            decided := decided || number;
            RETURN NEXT;
        END LOOP;
    END LOOP;

    INSERT INTO job (id, account_id, url, fresh, webhook_url) OVERRIDING SYSTEM VALUE
    SELECT made.id, callers[made.place], links[made.place], fresh_wishes[made.place], webhook_urls[made.place]
      FROM unnest(new_ids, new_numbers) AS made (id, place);
    UPDATE account SET bucket_tokens = changed.left_over, bucket_at = moment
      FROM unnest(drained, drained_to) AS changed (id, left_over)
     WHERE account.id = changed.id;

    job_id := NULL;
    job_status := NULL;
    job_limit := NULL;
    rate_limit := NULL;
    rate_remaining := NULL;
    rate_reset := NULL;
    retry_after := NULL;
    monthly_budget_usd := NULL;
    FOR number IN
        SELECT place FROM generate_subscripts(callers, 1) AS place WHERE place <> ALL (decided)
    LOOP
        outcome := 'account_busy';
        RETURN NEXT;
    END LOOP;
END
$$;

-- As before, and the new job is told where the old one was.
CREATE OR REPLACE FUNCTION resubmit_jobs(failed_ids bigint[])
RETURNS TABLE (failed bigint, anew bigint)
LANGUAGE plpgsql AS $$
DECLARE
    old job%ROWTYPE;
BEGIN
    FOR old IN
        SELECT job.* FROM job JOIN account ON account.id = job.account_id
         WHERE job.id = ANY (failed_ids) AND job.status = 'error' AND account.disabled_at IS NULL
         ORDER BY job.id FOR UPDATE OF job
    LOOP
        CONTINUE WHEN EXISTS (
            SELECT FROM job
             WHERE job.account_id = old.account_id AND job.url = old.url
               AND job.status IN ('pending', 'processing'));
        failed := old.id;
        INSERT INTO job (account_id, url, fresh, webhook_url)
        VALUES (old.account_id, old.url, old.fresh, old.webhook_url) RETURNING id INTO anew;
        RETURN NEXT;
    END LOOP;
END
$$;
