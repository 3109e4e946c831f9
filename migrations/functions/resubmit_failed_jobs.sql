-- Submits failed jobs again, except uploads, whose files are gone, and jobs whose link is already active. Jobs beyond
-- concurrent_jobs wait for their account. Locks accounts first, as submissions do.
CREATE OR REPLACE FUNCTION resubmit_failed_jobs(failed_ids bigint[])
RETURNS TABLE (failed_id bigint, new_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    old job%ROWTYPE;
BEGIN
    PERFORM FROM account
      WHERE id IN (SELECT job.account_id FROM job WHERE job.id = ANY (failed_ids)) ORDER BY id FOR NO KEY UPDATE;
    FOR old IN
        SELECT job.* FROM job JOIN account ON account.id = job.account_id
         WHERE job.id = ANY (failed_ids) AND job.status = 'error' AND NOT job.is_upload AND account.disabled_at IS NULL
         ORDER BY job.id FOR UPDATE OF job SKIP LOCKED
    LOOP
        CONTINUE WHEN EXISTS (
            SELECT FROM job
             WHERE job.account_id = old.account_id AND job.url = old.url
               AND job.status IN ('pending', 'processing'));
        failed_id := old.id;
        INSERT INTO job (account_id, url, fresh, webhook_url, options, turn, waits_for)
        VALUES (old.account_id, old.url, old.fresh, old.webhook_url, old.options,
                next_queued_turn(old.account_id), 'account')
        RETURNING id INTO new_id;
        UPDATE account SET active_jobs_at_most = active_jobs_at_most + 1 WHERE account.id = old.account_id;
        PERFORM release_queued_jobs(old.account_id);
        RETURN NEXT;
    END LOOP;
END
$$;
