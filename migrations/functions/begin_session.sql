-- Signs in. Locks the account first; skips sessions that another transaction is deleting.
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
    -- Each sign-in deletes expired sessions of all accounts, because no other statement does.
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
