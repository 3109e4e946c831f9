-- One row for each account, whatever inserts it. Locked last, because submissions lock a job first and then the account.
CREATE OR REPLACE FUNCTION begin_ended_reels_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ended_reels_version (account_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
