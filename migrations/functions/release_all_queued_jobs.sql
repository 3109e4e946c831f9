-- Calls release_queued_jobs() for each account that has waiting jobs. Needed after a limit was raised or an account was
-- enabled, and after concurrent releases that did not see each other. Reads one index entry per account to find them.
--   concurrent_default: the caller's, for accounts without a limit of their own; null: that of their last submission
CREATE OR REPLACE FUNCTION release_all_queued_jobs(concurrent_default integer) RETURNS void LANGUAGE plpgsql
-- As in submit_jobs(): a plan that was made for a nearly empty table would sort all jobs of the account.
SET enable_sort = off
AS $$
DECLARE
    last_account bigint := 0;
BEGIN
    LOOP
        SELECT account_id INTO last_account FROM job
         WHERE status = 'pending' AND waits_for = 'account' AND waits_for <> 'time' AND account_id > last_account
         ORDER BY waits_for, account_id, turn LIMIT 1;
        EXIT WHEN NOT FOUND;
        UPDATE account SET default_concurrent_jobs = concurrent_default
         WHERE id = (SELECT id FROM account
                      WHERE id = last_account AND coalesce(default_concurrent_jobs, 0) <> concurrent_default
                        FOR NO KEY UPDATE SKIP LOCKED);
        PERFORM release_queued_jobs(last_account);
    END LOOP;
END
$$;
