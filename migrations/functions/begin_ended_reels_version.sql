-- Creates the row of each new account, whichever statement inserts the account. Locked last: submissions lock a job first
-- and then the account.
CREATE OR REPLACE FUNCTION begin_ended_reels_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ended_reels_version (account_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
