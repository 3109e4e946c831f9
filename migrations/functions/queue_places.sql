-- Positions of an account's pending jobs in the order in which they start.
--   of_job: only this job; null: all. of_account: null for no rows, so that views of other jobs cost nothing
-- expected_start_at: an estimate; null without data
CREATE OR REPLACE FUNCTION queue_places(of_account bigint, of_job bigint)
RETURNS TABLE (job_id bigint, queue_position integer, expected_start_at timestamptz)
LANGUAGE plpgsql STABLE ROWS 300
-- As in submit_jobs(): the index job_active has the jobs in order.
SET enable_sort = off
AS $$
DECLARE
    interval_seconds double precision;
BEGIN
    IF of_account IS NULL THEN
        RETURN;
    END IF;
    interval_seconds := seconds_between_starts(of_account);
    RETURN QUERY
    SELECT waiting.id, waiting.place::integer,
           greatest(now() + make_interval(secs => interval_seconds * (waiting.place - 1)),
                    CASE WHEN waiting.waits_for = 'time' AND interval_seconds IS NOT NULL THEN waiting.run_at END)
      FROM (SELECT active.id, active.waits_for, active.run_at, row_number() OVER (ORDER BY turn, active.id) AS place
              FROM (SELECT job.* FROM job
                     WHERE account_id = of_account AND status IN ('pending', 'processing')
                     ORDER BY account_id, turn LIMIT 2000000) AS active
             WHERE active.status = 'pending') AS waiting
     WHERE of_job IS NULL OR waiting.id = of_job;
END
$$;
