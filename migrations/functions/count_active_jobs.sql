-- Counts the active jobs of an account whose row is locked, up to `most`: the exact number above that is irrelevant, because
-- no job is admitted then. Volatile, so that its statement starts after the lock and sees all rows committed before it.
CREATE OR REPLACE FUNCTION count_active_jobs(owner bigint, most integer) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (
        SELECT FROM job WHERE account_id = owner AND status IN ('pending', 'processing') LIMIT most) AS some_of_them
$$;
