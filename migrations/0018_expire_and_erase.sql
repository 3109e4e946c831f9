-- What is older than its operator keeps it goes, and so does all that an account has when it leaves: in small steps, each
-- a statement of its own, so that nobody waits for them and a daemon that dies leaves nothing half done. See docs/adr/0025.

-- Which daemon sees to a task now. One that does not say so again in time has lost its turn.
CREATE TABLE upkeep_turn (
    task text PRIMARY KEY CHECK (task IN ('expiry', 'erasure')),
    holder text NOT NULL,
    held_until timestamptz NOT NULL
);

-- True: it is the turn of `who`, for so many seconds from now on.
CREATE FUNCTION take_upkeep_turn(wanted_task text, who text, turn_seconds double precision) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO upkeep_turn AS turn (task, holder, held_until)
    VALUES (wanted_task, who, now() + make_interval(secs => turn_seconds))
    ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
     WHERE turn.holder = who OR turn.held_until <= now()
        -- No turn is so long: the clock was set back.
        OR turn.held_until > now() + make_interval(secs => turn_seconds) + interval '1 minute';
    RETURN FOUND;
END
$$;

-- Removes calls for good. The sums over all accounts keep what they cost; one whose answer was lost is in these sums only
-- while it is there, so that it is settled first, at an unknown cost.
CREATE FUNCTION remove_model_calls(unwanted bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE model_call SET settled_at = now() WHERE id = ANY (unwanted) AND settled_at IS NULL;
    DELETE FROM model_call WHERE id = ANY (unwanted);
END
$$;

-- By how many seconds the clock of now is ahead of the caller's, if that is more than a day; else null. One of the two is
-- wrong then, and what a wrong clock takes for old is not: nothing expires until they agree again.
CREATE FUNCTION clock_gap(caller_time timestamptz) RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT gap FROM (SELECT extract(epoch FROM now() - caller_time)::double precision AS gap) AS clocks
     WHERE abs(gap) > 86400
$$;

-- A step through the jobs that ended more than `kept_seconds` ago, the oldest first: looks at up to `most` of them behind
-- (after_at, after_id), and removes those that nobody needs any more. No row: it is somebody else's turn.
-- What stays until the next round: a job whose Idempotency-Key still counts, and one whose webhook is still to be told, for
-- two days more at most: a delivery is tried for one, and whoever asks for it again and again is not to keep a job for ever.
--   caller_time: by the caller's clock
--   looked, removed: jobs; fewer than `most` looked at: the round is over
--   last_at, last_id: behind which the next step goes on; null when there was nothing
--   refused_gap: clock_gap(), for which the step was refused; else null
CREATE FUNCTION expire_jobs(
    who text, turn_seconds double precision, kept_seconds double precision,
    after_at timestamptz, after_id bigint, most integer, caller_time timestamptz)
RETURNS TABLE (looked bigint, removed bigint, last_at timestamptz, last_id bigint, refused_gap double precision)
LANGUAGE plpgsql AS $$
DECLARE
    old record;
    unwanted bigint[];
BEGIN
    refused_gap := clock_gap(caller_time);
    IF refused_gap IS NOT NULL THEN  -- Whose clock agrees gets the turn.
        looked := 0;
        removed := 0;
        RETURN NEXT;
        RETURN;
    END IF;
    IF NOT take_upkeep_turn('expiry', who, turn_seconds) THEN
        RETURN;
    END IF;
    SELECT array_agg(found.id ORDER BY found.finished_at, found.id) AS ids,
           array_agg(found.finished_at ORDER BY found.finished_at, found.id) AS ends INTO old
      FROM (SELECT id, finished_at FROM job
             WHERE status IN ('done', 'error')
               AND (finished_at, id) > (coalesce(after_at, '-infinity'), coalesce(after_id, 0))
               AND finished_at < now() - make_interval(secs => kept_seconds)
             ORDER BY finished_at, id LIMIT most) AS found;
    looked := coalesce(cardinality(old.ids), 0);
    last_at := old.ends[looked];
    last_id := old.ids[looked];
    unwanted := ARRAY(
        SELECT job.id FROM job
         WHERE job.id = ANY (old.ids)
           AND NOT EXISTS (
               SELECT FROM idempotency_key AS used
                WHERE used.job_id = job.id AND used.created_at > now() - interval '24 hours')
           AND (job.finished_at < now() - make_interval(secs => kept_seconds) - interval '2 days' OR NOT EXISTS (
               SELECT FROM webhook_delivery AS told WHERE told.job_id = job.id AND told.state = 'pending'))
           FOR UPDATE SKIP LOCKED);
    DELETE FROM job WHERE id = ANY (unwanted);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN NEXT;
END
$$;

-- The same for calls of models made more than `kept_seconds` ago. Those of this month stay, which budgets count, and those
-- of jobs that have not ended, which are counted so that none is paid for too often.
CREATE FUNCTION expire_model_calls(
    who text, turn_seconds double precision, kept_seconds double precision,
    after_at timestamptz, after_id bigint, most integer, caller_time timestamptz)
RETURNS TABLE (looked bigint, removed bigint, last_at timestamptz, last_id bigint, refused_gap double precision)
LANGUAGE plpgsql AS $$
DECLARE
    old record;
    unwanted bigint[];
BEGIN
    refused_gap := clock_gap(caller_time);
    IF refused_gap IS NOT NULL THEN  -- Whose clock agrees gets the turn.
        looked := 0;
        removed := 0;
        RETURN NEXT;
        RETURN;
    END IF;
    IF NOT take_upkeep_turn('expiry', who, turn_seconds) THEN
        RETURN;
    END IF;
    SELECT array_agg(found.id ORDER BY found.called_at, found.id) AS ids,
           array_agg(found.called_at ORDER BY found.called_at, found.id) AS calls INTO old
      FROM (SELECT id, called_at FROM model_call
             WHERE (called_at, id) > (coalesce(after_at, '-infinity'), coalesce(after_id, 0))
               AND called_at < least(now() - make_interval(secs => kept_seconds), month_begin(now()))
             ORDER BY called_at, id LIMIT most) AS found;
    looked := coalesce(cardinality(old.ids), 0);
    last_at := old.calls[looked];
    last_id := old.ids[looked];
    unwanted := ARRAY(
        SELECT call.id FROM model_call AS call
         WHERE call.id = ANY (old.ids)
           AND NOT EXISTS (
               SELECT FROM job WHERE job.id = call.job_id AND job.status IN ('pending', 'processing'))
           FOR UPDATE SKIP LOCKED);
    PERFORM remove_model_calls(unwanted);
    removed := cardinality(unwanted);
    RETURN NEXT;
END
$$;

-- As times are written everywhere else.
CREATE FUNCTION rfc3339(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- Since when an account is being erased. It is disabled for good, which older programs heed as well.
ALTER TABLE account
    ADD COLUMN leaving_at timestamptz,
    ADD CONSTRAINT account_leaving CHECK (leaving_at IS NULL OR disabled_at IS NOT NULL) NOT VALID;
CREATE INDEX account_leaving ON account (leaving_at) WHERE leaving_at IS NOT NULL;

-- Takes an account all its power, in one transaction: nobody signs in to it, no token, session, chat or link of it is heard,
-- nothing is submitted. What it has is removed by erase_some().
--   verified_hash: the password's hash that the owner has shown to know; null: it is not his own wish
--   outcome: 'begun' (also when it had been before), 'not_found', 'password_changed' (since it was verified) or
--            'last_administrator': nobody else could let people in
CREATE FUNCTION begin_erasure(leaver bigint, verified_hash text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    owner account%ROWTYPE;
BEGIN
    -- As change_account(): of two administrators who leave at once, one stays.
    PERFORM pg_advisory_xact_lock(hashtext('reelsd change_account'));
    SELECT * INTO owner FROM account WHERE id = leaver FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'not_found';
    END IF;
    IF owner.leaving_at IS NOT NULL THEN
        RETURN 'begun';
    END IF;
    IF verified_hash IS NOT NULL AND verified_hash IS DISTINCT FROM owner.password_hash THEN
        RETURN 'password_changed';
    END IF;
    IF owner.is_admin AND owner.password_hash IS NOT NULL AND owner.disabled_at IS NULL AND NOT EXISTS (
        SELECT FROM account
         WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL AND id <> leaver)
    THEN
        RETURN 'last_administrator';
    END IF;
    UPDATE account
       SET leaving_at = now(), disabled_at = coalesce(disabled_at, now()), password_hash = NULL, is_admin = false
     WHERE id = leaver;
    DELETE FROM api_token WHERE account_id = leaver;
    DELETE FROM web_session WHERE account_id = leaver;
    DELETE FROM invitation WHERE account_id = leaver;
    DELETE FROM chat_code WHERE account_id = leaver;
    DELETE FROM chat_message WHERE account_id = leaver;
    DELETE FROM tied_chat WHERE account_id = leaver;
    DELETE FROM webhook_default WHERE account_id = leaver;
    DELETE FROM webhook_secret WHERE account_id = leaver;
    RETURN 'begun';
END
$$;

-- What comes before all steps of erasing: jobs in work of whichever accounts leave, so that none is paid for while those
-- before it in line are emptied. Hardly anything hangs on such jobs: up to ten times `most` of them. Null: it is somebody
-- else's turn.
CREATE FUNCTION stop_leavers(who text, turn_seconds double precision, most integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    unwanted bigint[];
BEGIN
    IF NOT take_upkeep_turn('erasure', who, turn_seconds) THEN
        RETURN NULL;
    END IF;
    unwanted := ARRAY(
        SELECT busy.id
          FROM account, LATERAL (
               SELECT job.id FROM job
                WHERE job.account_id = ANY (ARRAY[account.id]) AND job.status IN ('pending', 'processing')
                ORDER BY job.account_id LIMIT 10 * most FOR UPDATE SKIP LOCKED) AS busy
         WHERE account.leaving_at IS NOT NULL LIMIT 10 * most);
    DELETE FROM job WHERE id = ANY (unwanted);
    RETURN cardinality(unwanted);
END
$$;

-- A step of erasing an account that leaves: up to `most` of its jobs, those in work first; then its calls; then the account
-- itself, with whatever a request that was under way has still left there. No row: it is somebody else's turn. One row
-- without an account: it does not leave, or is gone.
-- `= ANY` of one, and the account as the first thing to order by, leave nothing but the account's own index: a plan that
-- trusts in LIMIT would rather read through the rows of all others.
--   who: null: whoever asks shares the work with the one whose turn it is
CREATE FUNCTION erase_some(who text, turn_seconds double precision, leaver bigint, most integer)
RETURNS TABLE (account_id bigint, removed_jobs bigint, removed_calls bigint, is_gone boolean)
LANGUAGE plpgsql AS $$
DECLARE
    unwanted bigint[];
BEGIN
    removed_jobs := 0;
    removed_calls := 0;
    is_gone := false;
    SELECT account.id INTO account_id FROM account WHERE account.id = leaver AND account.leaving_at IS NOT NULL;
    IF account_id IS NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;
    IF who IS NOT NULL AND NOT take_upkeep_turn('erasure', who, turn_seconds) THEN
        RETURN;
    END IF;

    unwanted := ARRAY(
        SELECT job.id FROM job
         WHERE job.account_id = ANY (ARRAY[leaver]) AND job.status IN ('pending', 'processing')
         ORDER BY job.account_id LIMIT most FOR UPDATE SKIP LOCKED);
    IF cardinality(unwanted) = 0 THEN
        unwanted := ARRAY(
            SELECT job.id FROM job WHERE job.account_id = ANY (ARRAY[leaver])
             ORDER BY job.account_id, job.id DESC LIMIT most FOR UPDATE SKIP LOCKED);
    END IF;
    DELETE FROM job WHERE id = ANY (unwanted);
    GET DIAGNOSTICS removed_jobs = ROW_COUNT;
    -- What somebody else is at is for the next step.
    IF removed_jobs > 0 OR EXISTS (
        SELECT FROM job WHERE job.account_id = ANY (ARRAY[leaver]) ORDER BY job.account_id LIMIT 1)
    THEN
        RETURN NEXT;
        RETURN;
    END IF;

    unwanted := ARRAY(
        SELECT call.id FROM model_call AS call WHERE call.account_id = ANY (ARRAY[leaver])
         ORDER BY call.account_id, call.called_at LIMIT 10 * most FOR UPDATE SKIP LOCKED);
    PERFORM remove_model_calls(unwanted);
    removed_calls := cardinality(unwanted);
    DELETE FROM deleted_job
     WHERE ctid = ANY (ARRAY(
           SELECT gone.ctid FROM deleted_job AS gone WHERE gone.account_id = ANY (ARRAY[leaver])
            ORDER BY gone.account_id, gone.deleted_at LIMIT 10 * most FOR UPDATE SKIP LOCKED));
    IF removed_calls > 0 OR FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;

    DELETE FROM account WHERE id = leaver AND leaving_at IS NOT NULL;
    DELETE FROM deleted_job WHERE deleted_job.account_id = leaver;
    is_gone := true;
    RETURN NEXT;
END
$$;

-- As before; an account that leaves is there no more.
CREATE OR REPLACE FUNCTION change_account(
    changed bigint, wanted_disabled boolean, wanted_admin boolean,
    set_submissions boolean, submissions integer, set_jobs boolean, jobs integer,
    set_requests boolean, requests integer, set_budget boolean, budget numeric)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    others bigint;
BEGIN
    -- One after the other: two administrators who demote each other must not both find one left.
    PERFORM pg_advisory_xact_lock(hashtext('reelsd change_account'));
    IF coalesce(wanted_disabled, false) OR NOT coalesce(wanted_admin, true) THEN
        SELECT count(*) INTO others FROM account
         WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL AND id <> changed;
        IF others = 0 AND EXISTS (
            SELECT FROM account
             WHERE id = changed AND is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL)
        THEN
            RETURN 'last_administrator';
        END IF;
    END IF;

    UPDATE account
       SET disabled_at = CASE wanted_disabled WHEN true THEN coalesce(disabled_at, now())
                                              WHEN false THEN NULL ELSE disabled_at END,
           is_admin = coalesce(wanted_admin, is_admin),
           submissions_per_minute = CASE WHEN set_submissions THEN submissions ELSE submissions_per_minute END,
           concurrent_jobs = CASE WHEN set_jobs THEN jobs ELSE concurrent_jobs END,
           requests_per_minute = CASE WHEN set_requests THEN requests ELSE requests_per_minute END,
           monthly_budget_usd = CASE WHEN set_budget THEN budget ELSE monthly_budget_usd END
     WHERE id = changed AND leaving_at IS NULL;
    IF NOT FOUND THEN
        RETURN 'not_found';
    END IF;
    -- Whoever is let in again signs in again; tokens are for programs and work again.
    IF wanted_disabled THEN
        DELETE FROM web_session WHERE account_id = changed;
        DELETE FROM invitation WHERE account_id = changed;
    END IF;
    RETURN 'changed';
END
$$;
