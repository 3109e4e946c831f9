-- Runs before the steps of erasing: deletes unfinished jobs of all accounts that are being erased, so that they cost nothing
-- while other accounts are emptied. These jobs have few dependent rows, so it deletes up to ten times `rows_max`. Null: another
-- process has the turn.
CREATE OR REPLACE FUNCTION delete_unfinished_of_leaving(
    daemon text, turn_seconds double precision, rows_max integer)
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    unwanted bigint[];
BEGIN
    IF NOT take_maintenance_turn('erasure', daemon, turn_seconds) THEN
        RETURN NULL;
    END IF;
    unwanted := ARRAY(
        SELECT busy.id
          FROM account, LATERAL (
               SELECT job.id FROM job
                WHERE job.account_id = ANY (ARRAY[account.id]) AND job.status IN ('pending', 'processing')
                ORDER BY job.account_id LIMIT 10 * rows_max FOR UPDATE SKIP LOCKED) AS busy
         WHERE account.leaving_at IS NOT NULL LIMIT 10 * rows_max);
    DELETE FROM job WHERE id = ANY (unwanted);
    RETURN cardinality(unwanted);
END
$$;
