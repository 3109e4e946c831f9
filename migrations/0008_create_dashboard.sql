-- For the dashboard. People sign in with a password, stay signed in with a session, and are let in for the first time
-- by a link that works once. Of secrets only hashes are kept.

ALTER TABLE account
    -- Argon2id with its salt and cost, as libsodium writes it. Null: this account cannot sign in.
    ADD COLUMN password_hash text,
    -- From then on neither tokens nor sessions of the account are heard.
    ADD COLUMN disabled_at timestamptz,
    -- What its paid calls may cost in a month of UTC; null: as much as they do.
    ADD COLUMN monthly_budget_usd numeric CHECK (monthly_budget_usd >= 0);

-- To the minute or so: it is written in batches.
ALTER TABLE api_token ADD COLUMN last_used_at timestamptz;

CREATE TABLE web_session (
    hash bytea PRIMARY KEY CHECK (length(hash) = 32),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- To five minutes: reading pages must not write rows.
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX web_session_of_account ON web_session (account_id);
CREATE INDEX web_session_expiry ON web_session (expires_at);

-- One for each account: a newer link ends the older one. Without an account: makes the first administrator.
CREATE TABLE invitation (
    hash bytea PRIMARY KEY CHECK (length(hash) = 32),
    account_id bigint REFERENCES account ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX invitation_of_account ON invitation (account_id) NULLS NOT DISTINCT;

-- Takes an invitation and sets the password with it; everybody who was signed in to the account is signed out.
--   outcome: 'accepted', 'invalid' (unknown, used or expired) or 'taken' (the address has an account that can sign in)
CREATE FUNCTION accept_invitation(invited bytea, wanted_email text, new_password_hash text)
RETURNS TABLE (outcome text, account_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    offer invitation%ROWTYPE;
    owner account%ROWTYPE;
BEGIN
    -- Locked until we commit: of two who use one link, the second finds it gone.
    SELECT * INTO offer FROM invitation WHERE hash = invited AND expires_at > now() FOR UPDATE;
    IF NOT FOUND THEN
        outcome := 'invalid';
        RETURN NEXT;
        RETURN;
    END IF;

    IF offer.account_id IS NULL THEN
        -- The address may have an account already, made at a terminal, with tokens and reels, but without a password.
        INSERT INTO account (email, is_admin) VALUES (wanted_email, true)
        ON CONFLICT (lower(email)) DO UPDATE SET is_admin = true
            WHERE account.password_hash IS NULL AND account.disabled_at IS NULL
        RETURNING * INTO owner;
        IF NOT FOUND THEN
            outcome := 'taken';
            RETURN NEXT;
            RETURN;
        END IF;
    ELSE
        SELECT * INTO owner FROM account WHERE id = offer.account_id AND disabled_at IS NULL;
        IF NOT FOUND THEN
            outcome := 'invalid';
            RETURN NEXT;
            RETURN;
        END IF;
    END IF;

    UPDATE account SET password_hash = new_password_hash WHERE id = owner.id;
    DELETE FROM web_session AS session WHERE session.account_id = owner.id;
    DELETE FROM invitation WHERE hash = invited;
    outcome := 'accepted';
    account_id := owner.id;
    RETURN NEXT;
END
$$;

-- A new password, if the old one is still what the caller has verified: of two who change it at the same moment one is
-- told. All sessions end, also those that are being begun: see begin_session().
CREATE FUNCTION change_password(owner bigint, verified_hash text, new_hash text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account SET password_hash = new_hash WHERE id = owner AND password_hash = verified_hash;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM web_session WHERE account_id = owner;
    RETURN true;
END
$$;

-- Begins a session, if the password that was verified is still the account's. The lock makes whoever changes it wait,
-- and then end this session with the others.
CREATE FUNCTION begin_session(
    session_hash bytea, owner bigint, verified_hash text, idle_hours integer, life_hours integer)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    -- Who signs in clears away what has ended, of whomever: nobody else would.
    DELETE FROM web_session
     WHERE expires_at <= now() OR last_seen_at <= now() - make_interval(hours => idle_hours);
    PERFORM FROM account
      WHERE id = owner AND password_hash = verified_hash AND disabled_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO web_session (hash, account_id, expires_at)
    VALUES (session_hash, owner, now() + make_interval(hours => life_hours));
    RETURN true;
END
$$;

-- What an administrator changes; null leaves a value as it is, but for those with a `set_` of their own.
--   outcome: 'changed', 'not_found' or 'last_administrator': nobody could undo it
CREATE FUNCTION change_account(
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
     WHERE id = changed;
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

-- What dashboards show live.

ALTER TABLE job
    -- When its owner last saw it change: made, begun, a step further, ended.
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now(),
    -- What is being done, while it is being done.
    ADD COLUMN step text CHECK (step <> '');
CREATE INDEX job_changed ON job (account_id, changed_at);

CREATE FUNCTION note_job_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := clock_timestamp();
    IF NEW.status <> 'processing' OR NEW.claim <> OLD.claim THEN
        NEW.step := NULL;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER job_changes BEFORE UPDATE OF status, step, claim ON job
    FOR EACH ROW
    WHEN (OLD.status <> NEW.status OR OLD.claim <> NEW.claim OR OLD.step IS DISTINCT FROM NEW.step)
    EXECUTE FUNCTION note_job_change();

-- So that a page that was away for a while learns of it; forgotten after a day.
CREATE TABLE deleted_job (
    account_id bigint NOT NULL,
    job_id bigint NOT NULL,
    PRIMARY KEY (account_id, job_id),
    deleted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX deleted_job_of_account ON deleted_job (account_id, deleted_at);
CREATE INDEX deleted_job_age ON deleted_job (deleted_at);

CREATE FUNCTION note_job_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO deleted_job (account_id, job_id) VALUES (OLD.account_id, OLD.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER job_deleted AFTER DELETE ON job FOR EACH ROW EXECUTE FUNCTION note_job_deletion();

-- What administrators look at first: the newest failures.
CREATE INDEX job_failed ON job (finished_at DESC) WHERE status = 'error';

-- A failed job never changes: its link is submitted once more, for its account, past the account's limits, unless the
-- account is disabled or has the same link in work already, as after the same wish a moment ago.
CREATE FUNCTION resubmit_jobs(failed_ids bigint[])
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
        INSERT INTO job (account_id, url, fresh) VALUES (old.account_id, old.url, old.fresh) RETURNING id INTO anew;
        RETURN NEXT;
    END LOOP;
END
$$;
