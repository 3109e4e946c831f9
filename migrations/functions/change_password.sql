-- Replaces a password if the current one is still the one that the caller has verified. Of two concurrent changes, one
-- returns false. Ends all sessions, including those that begin_session() is creating.
CREATE OR REPLACE FUNCTION change_password(owner bigint, verified_hash text, new_hash text) RETURNS boolean
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
