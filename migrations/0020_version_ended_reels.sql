-- Daemons keep what they have sent of an account's ended reels. This row tells them whether any of those has changed since:
-- one row for all of an account's reads of a moment, instead of one for each reel. See docs/adr/0022.

CREATE TABLE ended_reels_version (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- The last transaction that changed or deleted an ended reel of the account. What daemons compare is the row's `xmin`,
    -- which a restored row has anew.
    changed_by xid8 NOT NULL DEFAULT pg_current_xact_id()
) WITH (fillfactor = 50);  -- Its next version stays on the page: the index is not touched.

-- Each account has one, whoever makes it.
CREATE FUNCTION begin_ended_reels_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ended_reels_version (account_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER account_ended_reels_version AFTER INSERT ON account
    FOR EACH ROW EXECUTE FUNCTION begin_ended_reels_version();

INSERT INTO ended_reels_version (account_id) SELECT id FROM account;

-- Once for all rows of a transaction. With the account itself the row may have gone already.
CREATE FUNCTION note_ended_reel_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ended_reels_version SET changed_by = pg_current_xact_id()
     WHERE account_id = OLD.account_id AND changed_by <> pg_current_xact_id();
    RETURN NULL;
END
$$;
CREATE TRIGGER job_ended_changed AFTER UPDATE OR DELETE ON job
    FOR EACH ROW WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION note_ended_reel_change();

-- Nobody but an operator does that.
CREATE FUNCTION note_all_ended_reels_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ended_reels_version SET changed_by = pg_current_xact_id();
    RETURN NULL;
END
$$;
CREATE TRIGGER job_truncated AFTER TRUNCATE ON job
    FOR EACH STATEMENT EXECUTE FUNCTION note_all_ended_reels_gone();
