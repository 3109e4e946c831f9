-- The history of a job with one more failed attempt. At most `most` are kept: the oldest is dropped.
CREATE OR REPLACE FUNCTION add_failed_attempt(
    history jsonb, most integer, attempt integer, worker text, step text, cause text, detail text)
RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN jsonb_array_length(history) < most THEN history ELSE history - 0 END
        || jsonb_build_object(
               'attempt', attempt, 'at', rfc3339(now()), 'worker', worker, 'step', step, 'cause', cause,
               'detail', detail)
$$;
