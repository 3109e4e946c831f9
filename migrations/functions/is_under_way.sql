-- Whether a call may still be answered. A call of an account has no claim (0) and counts as in
-- progress for three minutes.
CREATE OR REPLACE FUNCTION is_under_way(call model_call) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT call.settled_at IS NULL AND CASE
        WHEN call.purpose NOT IN ('analysis', 'transcription') THEN call.called_at > now() - interval '3 minutes'
        ELSE EXISTS (
            SELECT FROM job
             WHERE job.id = call.job_id AND job.claim = call.claim AND job.status = 'processing')
        END
$$;
