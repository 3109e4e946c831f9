-- Removes up to `most` kept videos that are older than `kept_seconds` or, the oldest first, beyond `bytes_max` bytes of all
-- accounts. Returns their number. Skips accounts whose ended reels another transaction changes, like expire_jobs().
CREATE OR REPLACE FUNCTION expire_videos(kept_seconds double precision, bytes_max bigint, most integer) RETURNS bigint
LANGUAGE sql AS $$
    WITH ranked AS (
        SELECT id, kept_at, sum(size_bytes) OVER (ORDER BY kept_at DESC, id DESC) AS bytes
          FROM upload WHERE kept_at IS NOT NULL),
    expired AS MATERIALIZED (
        SELECT id, account_id FROM upload
         WHERE id IN (
               SELECT id FROM ranked
                WHERE bytes > bytes_max OR kept_at < now() - make_interval(secs => kept_seconds)
                ORDER BY kept_at, id LIMIT most)),
    free AS MATERIALIZED (
        SELECT account_id FROM ended_reels_version
         WHERE account_id IN (SELECT account_id FROM expired)
         ORDER BY account_id FOR NO KEY UPDATE SKIP LOCKED),
    unwanted AS (
        SELECT id FROM upload
         WHERE id IN (SELECT id FROM expired) AND account_id IN (SELECT account_id FROM free)
           FOR UPDATE SKIP LOCKED),
    removed AS (
        DELETE FROM upload WHERE id IN (SELECT id FROM unwanted) RETURNING object_id),
    forgotten AS (
        UPDATE media_object SET job_id = NULL, delete_at = now()
         WHERE id IN (SELECT object_id FROM removed))
    SELECT count(*) FROM removed
$$;
