-- Removes up to `most` kept videos that are older than `kept_seconds` or, the oldest first, beyond `bytes_max` bytes of all
-- accounts. Returns their number.
CREATE OR REPLACE FUNCTION expire_videos(kept_seconds double precision, bytes_max bigint, most integer) RETURNS bigint
LANGUAGE sql AS $$
    WITH ranked AS (
        SELECT id, kept_at, sum(size_bytes) OVER (ORDER BY kept_at DESC, id DESC) AS bytes
          FROM upload WHERE kept_at IS NOT NULL),
    unwanted AS (
        SELECT id FROM upload
         WHERE id IN (
               SELECT id FROM ranked
                WHERE bytes > bytes_max OR kept_at < now() - make_interval(secs => kept_seconds)
                ORDER BY kept_at, id LIMIT most)
           FOR UPDATE SKIP LOCKED),
    removed AS (
        DELETE FROM upload WHERE id IN (SELECT id FROM unwanted) RETURNING object_id),
    forgotten AS (
        UPDATE media_object SET job_id = NULL, delete_at = now()
         WHERE id IN (SELECT object_id FROM removed))
    SELECT count(*) FROM removed
$$;
