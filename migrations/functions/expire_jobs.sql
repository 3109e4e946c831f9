-- Deletes jobs that ended more than `kept_seconds` ago. Skips accounts and rows that another transaction holds, so that it
-- does not delay the expiry of others.
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
    IF refused_gap IS NOT NULL THEN  -- Leaves the turn to a daemon whose clock agrees.
        looked := 0;
        removed := 0;
        RETURN NEXT;
        RETURN;
    END IF;
    IF NOT take_maintenance_turn('expiry', who, turn_seconds) THEN
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
               SELECT FROM submission_key AS used
                WHERE used.job_id = job.id AND used.created_at > now() - interval '24 hours')
           AND NOT EXISTS (
               SELECT FROM idempotency_key AS used
                WHERE used.job_id = job.id AND used.created_at > now() - interval '24 hours')
           AND (job.finished_at < now() - make_interval(secs => kept_seconds) - interval '2 days' OR NOT EXISTS (
               SELECT FROM webhook_delivery AS delivery WHERE delivery.job_id = job.id AND delivery.state = 'pending'))
           FOR UPDATE SKIP LOCKED);
    DELETE FROM job WHERE id = ANY (unwanted);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN NEXT;
END
$$;
