-- Daemons keep what they have sent of an account's ended reels. This row tells them whether any of those has changed since:
-- one row for all of an account's reads of a moment, instead of one for each reel. See docs/adr/0022.

CREATE TABLE ended_reels_version (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- The last transaction that changed or deleted an ended reel of the account. What daemons compare is the row's `xmin`,
    -- which a restored row has anew.
    changed_by xid8 NOT NULL DEFAULT pg_current_xact_id()
) WITH (fillfactor = 50);  -- Its next version stays on the page: the index is not touched.

-- Once for all rows of a transaction. A number alone does not tell that it was this one: one from a backup may still lie
-- ahead, and the row's own is short and begins anew. With the account itself the row may have gone already.
CREATE FUNCTION note_ended_reel_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ended_reels_version SET changed_by = pg_current_xact_id()
     WHERE account_id = OLD.account_id
       AND NOT (changed_by = pg_current_xact_id() AND xmin = pg_current_xact_id()::xid);
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

-- Each account has one, whoever makes it. Last, because submissions lock a job first and then the account.
CREATE FUNCTION begin_ended_reels_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ended_reels_version (account_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER account_ended_reels_version AFTER INSERT ON account
    FOR EACH ROW EXECUTE FUNCTION begin_ended_reels_version();

INSERT INTO ended_reels_version (account_id) SELECT id FROM account;

-- As before (0018), but accounts of which somebody else is just removing reels are left for the next round, like rows that
-- somebody else is at: else whoever keeps such a transaction open would hold up the expiry of all.
CREATE OR REPLACE FUNCTION expire_jobs(
    who text, turn_seconds double precision, kept_seconds double precision,
    after_at timestamptz, after_id bigint, most integer, caller_time timestamptz)
RETURNS TABLE (looked bigint, removed bigint, last_at timestamptz, last_id bigint, refused_gap double precision)
LANGUAGE plpgsql AS $$
DECLARE
    old record;
    free bigint[];
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
    free := ARRAY(
        SELECT version.account_id FROM ended_reels_version AS version
         WHERE version.account_id IN (SELECT job.account_id FROM job WHERE job.id = ANY (old.ids))
         ORDER BY version.account_id FOR NO KEY UPDATE SKIP LOCKED);
    unwanted := ARRAY(
        SELECT job.id FROM job
         WHERE job.id = ANY (old.ids) AND job.account_id = ANY (free)
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
