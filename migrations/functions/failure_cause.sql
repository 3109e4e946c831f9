-- Why the last attempt of a failed job failed: the name of a code. Null for other jobs, and where it was not kept.
CREATE OR REPLACE FUNCTION failure_cause(of_job job) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN of_job.status = 'error' THEN of_job.failed_attempts -> -1 ->> 'cause' END
$$;
