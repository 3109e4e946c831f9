-- Changes an account's state. An account that is being erased is not found.
CREATE OR REPLACE FUNCTION change_account(
    changed bigint, wanted_disabled boolean, wanted_admin boolean,
    set_submissions boolean, submissions integer, set_jobs boolean, jobs integer,
    set_requests boolean, requests integer, set_budget boolean, budget numeric,
    set_queued boolean, queued integer)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    others bigint;
BEGIN
    -- Serialized: if two administrators demote each other, one must remain.
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
           monthly_budget_usd = CASE WHEN set_budget THEN budget ELSE monthly_budget_usd END,
           queued_jobs = CASE WHEN set_queued THEN queued ELSE queued_jobs END
     WHERE id = changed AND leaving_at IS NULL;
    IF NOT FOUND THEN
        RETURN 'not_found';
    END IF;
    -- After an account is enabled again, its tokens work, but its users have to sign in.
    IF wanted_disabled THEN
        DELETE FROM web_session WHERE account_id = changed;
        DELETE FROM invitation WHERE account_id = changed;
    END IF;
    RETURN 'changed';
END
$$;
