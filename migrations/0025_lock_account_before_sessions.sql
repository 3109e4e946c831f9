-- Whoever changes a password locks the account and then its sessions. begin_session() deleted ended sessions first and then
-- locked the account: at the same moment, for an account with an ended session, each waited for the other (40P01).

-- As before, but the account comes first, and sessions that another transaction is deleting are left to it.
CREATE OR REPLACE FUNCTION begin_session(
    session_hash bytea, owner bigint, verified_hash text, idle_hours integer, life_hours integer)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM account
      WHERE id = owner AND password_hash = verified_hash AND disabled_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Each sign-in clears away what has ended, of all accounts: nothing else does.
    DELETE FROM web_session
     WHERE hash IN (
         SELECT hash FROM web_session
          WHERE expires_at <= now() OR last_seen_at <= now() - make_interval(hours => idle_hours)
            FOR UPDATE SKIP LOCKED);
    INSERT INTO web_session (hash, account_id, expires_at)
    VALUES (session_hash, owner, now() + make_interval(hours => life_hours));
    RETURN true;
END
$$;
