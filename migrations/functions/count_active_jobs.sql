-- The active jobs of an account whose row is locked, at most most: how many there are beyond makes no difference, because
-- then none is admitted. Volatile, because a statement sees what was committed when it began, and that is after the lock.
CREATE OR REPLACE FUNCTION count_active_jobs(owner bigint, most integer) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (
        SELECT FROM job WHERE account_id = owner AND status IN ('pending', 'processing') LIMIT most) AS some_of_them
$$;
