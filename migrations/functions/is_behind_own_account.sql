-- Whether an earlier job of the account may still request a permit: it looks for its video without one, or can be claimed.
-- A job that waits for its time has been in work before, and delays no other. Nor does an upload, which needs no permit, or
-- a job that has got its video without one: a kept video, a test link, or the answer that another job got.
CREATE OR REPLACE FUNCTION is_behind_own_account(of_account bigint, of_turn bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM job
         WHERE account_id = of_account AND turn < of_turn AND status IN ('pending', 'processing')
           AND NOT is_upload
           AND CASE status WHEN 'processing' THEN permit IS NULL AND coalesce(step, 'resolve') = 'resolve'
                           ELSE waits_for IS NULL END);
END
$$;
