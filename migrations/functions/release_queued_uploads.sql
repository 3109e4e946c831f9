-- Makes uploads that wait for their account claimable while links of the account are in line for a platform: uploads need
-- no permit. They leave one of the account's jobs_max concurrent jobs to those links, unless it is the only one, and
-- is_beyond_limit() keeps the links within the limit. Never waits for a lock.
CREATE OR REPLACE FUNCTION release_queued_uploads(of_account bigint, jobs_max integer) RETURNS void LANGUAGE plpgsql
-- As in submit_jobs(): a plan that was made for a nearly empty table would sort all jobs of the account.
SET enable_sort = off
AS $$
DECLARE
    waiting bigint;
BEGIN
    PERFORM FROM job
      WHERE account_id = of_account AND is_upload AND status IN ('pending', 'processing') AND waits_for = 'account'
      ORDER BY account_id, turn LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM FROM account WHERE id = of_account FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    WHILE has_room_beside_line(of_account, greatest(1, jobs_max - 1)) LOOP
        SELECT id INTO waiting FROM job
         WHERE account_id = of_account AND is_upload AND status IN ('pending', 'processing') AND waits_for = 'account'
         ORDER BY account_id, turn LIMIT 1
           FOR UPDATE SKIP LOCKED;
        EXIT WHEN NOT FOUND;
        UPDATE job SET waits_for = NULL, turn = next_job_turn(of_account), run_at = now() WHERE id = waiting;
    END LOOP;
END
$$;
