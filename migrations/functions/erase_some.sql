-- Runs one step of erasing an account. Deletes up to `most` of its jobs, unfinished ones first; then its calls; then the
-- account itself, with the rows of concurrent requests. Returns no row if another process has the turn, and one row without
-- an account if the account is not being erased or is gone.
-- With `= ANY` of one value, and the account first in ORDER BY, the planner can use only the account's own index. Because
-- of LIMIT, it would otherwise read the rows of all accounts.
--   who: null: the caller works in parallel with the process that has the turn
CREATE OR REPLACE FUNCTION erase_some(who text, turn_seconds double precision, leaver bigint, most integer)
RETURNS TABLE (account_id bigint, removed_jobs bigint, removed_calls bigint, is_gone boolean)
LANGUAGE plpgsql AS $$
DECLARE
    unwanted bigint[];
BEGIN
    removed_jobs := 0;
    removed_calls := 0;
    is_gone := false;
    SELECT account.id INTO account_id FROM account WHERE account.id = leaver AND account.leaving_at IS NOT NULL;
    IF account_id IS NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;
    IF who IS NOT NULL AND NOT take_maintenance_turn('erasure', who, turn_seconds) THEN
        RETURN;
    END IF;

    unwanted := ARRAY(
        SELECT job.id FROM job
         WHERE job.account_id = ANY (ARRAY[leaver]) AND job.status IN ('pending', 'processing')
         ORDER BY job.account_id LIMIT most FOR UPDATE SKIP LOCKED);
    IF cardinality(unwanted) = 0 THEN
        unwanted := ARRAY(
            SELECT job.id FROM job WHERE job.account_id = ANY (ARRAY[leaver])
             ORDER BY job.account_id, job.id DESC LIMIT most FOR UPDATE SKIP LOCKED);
    END IF;
    DELETE FROM job WHERE id = ANY (unwanted);
    GET DIAGNOSTICS removed_jobs = ROW_COUNT;
    -- Rows that another transaction holds are left to the next step.
    IF removed_jobs > 0 OR EXISTS (
        SELECT FROM job WHERE job.account_id = ANY (ARRAY[leaver]) ORDER BY job.account_id LIMIT 1)
    THEN
        RETURN NEXT;
        RETURN;
    END IF;

    unwanted := ARRAY(
        SELECT call.id FROM model_call AS call WHERE call.account_id = ANY (ARRAY[leaver])
         ORDER BY call.account_id, call.called_at LIMIT 10 * most FOR UPDATE SKIP LOCKED);
    PERFORM remove_model_calls(unwanted);
    removed_calls := cardinality(unwanted);
    DELETE FROM deleted_job
     WHERE ctid = ANY (ARRAY(
           SELECT gone.ctid FROM deleted_job AS gone WHERE gone.account_id = ANY (ARRAY[leaver])
            ORDER BY gone.account_id, gone.deleted_at LIMIT 10 * most FOR UPDATE SKIP LOCKED));
    IF removed_calls > 0 OR FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;

    DELETE FROM account WHERE id = leaver AND leaving_at IS NOT NULL;
    DELETE FROM deleted_job WHERE deleted_job.account_id = leaver;
    is_gone := true;
    RETURN NEXT;
END
$$;
