-- Seconds after the end of a failed job during which another submission would fail as well. Null if not known.
CREATE OR REPLACE FUNCTION retry_after(of_job job) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN of_job.status = 'error' AND of_job.run_at > of_job.finished_at
                THEN ceil(extract(epoch FROM of_job.run_at - of_job.finished_at))::integer END
$$;
