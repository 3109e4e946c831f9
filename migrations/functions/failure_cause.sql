-- Cause of the failure of a failed job's last attempt, as the name of an error code. Null for other jobs, and if the cause
-- was not stored.
CREATE OR REPLACE FUNCTION failure_cause(of_job job) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN of_job.status = 'error' THEN of_job.failed_attempts -> -1 ->> 'cause' END
$$;
