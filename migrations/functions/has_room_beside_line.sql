-- Whether an account has fewer than jobs_max jobs in work, claimable or delayed: all active jobs except those in line for
-- a platform and those that wait for the account. Sees changes made since the caller's statement began.
CREATE OR REPLACE FUNCTION has_room_beside_line(of_account bigint, jobs_max integer) RETURNS boolean LANGUAGE plpgsql
-- As in submit_jobs(): a plan that was made for a nearly empty table would sort all jobs of the account.
SET enable_sort = off
AS $$
BEGIN
    RETURN jobs_max > (
        SELECT count(*)
          FROM (SELECT FROM job
                 WHERE account_id = of_account AND status IN ('pending', 'processing')
                   AND turn < first_queued_turn() AND coalesce(waits_for, 'time') = 'time'
                 ORDER BY account_id, turn LIMIT jobs_max) AS beside_line);
END
$$;
