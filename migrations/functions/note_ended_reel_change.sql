-- Runs for rows of job and upload. Changes the version once per transaction. The transaction number alone does not identify
-- it: a number from a backup may be ahead, and that of the row wraps around. If the account is being deleted, the row may be gone already.
CREATE OR REPLACE FUNCTION note_ended_reel_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ended_reels_version SET changed_by = pg_current_xact_id()
     WHERE account_id = OLD.account_id
       AND NOT (changed_by = pg_current_xact_id() AND xmin = pg_current_xact_id()::xid);
    RETURN NULL;
END
$$;
