-- Turn of an account's next claimable job. The caller holds the lock of the account's row, or of a job that waits for the
-- account.
CREATE OR REPLACE FUNCTION next_job_turn(of_account bigint) RETURNS bigint LANGUAGE plpgsql
-- As in submit_jobs(): a plan that was made for a nearly empty table would sort all jobs of the account.
SET enable_sort = off
AS $$
BEGIN
    RETURN 1 + greatest(
        coalesce(pg_sequence_last_value('job_turn'), 0),
        (SELECT turn FROM job
          WHERE account_id = of_account AND status IN ('pending', 'processing') AND turn < first_queued_turn()
          ORDER BY account_id DESC, turn DESC LIMIT 1));
END
$$;
