-- Makes jobs that wait for their account claimable, in order, until concurrent_jobs of the account are. Reads at most
-- concurrent_jobs rows, however many jobs wait. Never waits for a lock: of two jobs that end at the same moment, one may
-- release none. The next end of a job, or release_all_queued_jobs(), releases the missing one.
CREATE OR REPLACE FUNCTION release_queued_jobs(of_account bigint) RETURNS void LANGUAGE plpgsql
-- As in submit_jobs(): a plan that was made for a nearly empty table would sort all jobs of the account.
SET enable_sort = off
AS $$
DECLARE
    jobs_max integer;
    waiting bigint;
BEGIN
    -- With this order the planner can use only the index job_in_line. EXISTS would ignore the order.
    PERFORM FROM job
      WHERE status = 'pending' AND waits_for = 'account' AND waits_for <> 'time' AND account_id = of_account
      ORDER BY waits_for, account_id, turn LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    jobs_max := concurrent_jobs_of(of_account);
    IF jobs_max IS NULL THEN
        RETURN;  -- The account is disabled or being erased.
    END IF;
    FOR waiting IN
        SELECT earliest.id
          FROM (SELECT id, waits_for FROM job
                 WHERE account_id = of_account AND status IN ('pending', 'processing')
                 ORDER BY account_id, turn LIMIT jobs_max) AS earliest
         WHERE earliest.waits_for = 'account'
    LOOP
        UPDATE job SET waits_for = NULL, turn = next_job_turn(of_account), run_at = now()
         -- coalesce(), because the planner expects few waiting jobs and would read all of them to find the id.
         WHERE id = (SELECT id FROM job
                      WHERE id = waiting AND coalesce(waits_for, '') = 'account'
                        FOR UPDATE SKIP LOCKED);
    END LOOP;
    PERFORM release_queued_uploads(of_account, jobs_max);
END
$$;
