-- Deletes model calls made more than `kept_seconds` ago. Keeps those of this month, which budgets count, and those of
-- unfinished jobs, which limit their further calls.
CREATE OR REPLACE FUNCTION expire_model_calls(
    who text, turn_seconds double precision, kept_seconds double precision,
    after_at timestamptz, after_id bigint, most integer, caller_time timestamptz)
RETURNS TABLE (looked bigint, removed bigint, last_at timestamptz, last_id bigint, refused_gap double precision)
LANGUAGE plpgsql AS $$
DECLARE
    old record;
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
    SELECT array_agg(found.id ORDER BY found.called_at, found.id) AS ids,
           array_agg(found.called_at ORDER BY found.called_at, found.id) AS calls INTO old
      FROM (SELECT id, called_at FROM model_call
             WHERE (called_at, id) > (coalesce(after_at, '-infinity'), coalesce(after_id, 0))
               AND called_at < least(now() - make_interval(secs => kept_seconds), month_begin(now()))
             ORDER BY called_at, id LIMIT most) AS found;
    looked := coalesce(cardinality(old.ids), 0);
    last_at := old.calls[looked];
    last_id := old.ids[looked];
    unwanted := ARRAY(
        SELECT call.id FROM model_call AS call
         WHERE call.id = ANY (old.ids)
           AND NOT EXISTS (
               SELECT FROM job WHERE job.id = call.job_id AND job.status IN ('pending', 'processing'))
           FOR UPDATE SKIP LOCKED);
    PERFORM remove_model_calls(unwanted);
    removed := cardinality(unwanted);
    RETURN NEXT;
END
$$;
