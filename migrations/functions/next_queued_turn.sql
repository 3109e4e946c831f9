-- Turn of an account's next job that waits for its account. The caller holds the lock of the account's row.
CREATE OR REPLACE FUNCTION next_queued_turn(of_account bigint) RETURNS bigint LANGUAGE plpgsql
-- As in submit_jobs(): a plan that was made for a nearly empty table would sort all jobs of the account.
SET enable_sort = off
AS $$
BEGIN
    RETURN greatest(
        first_queued_turn(),
        1 + (SELECT turn FROM job
              WHERE account_id = of_account AND status IN ('pending', 'processing')
              ORDER BY account_id DESC, turn DESC LIMIT 1));
END
$$;
