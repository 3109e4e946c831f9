-- The limit of an account's concurrent jobs. Null for an account that is disabled or being erased: its waiting jobs stay.
CREATE OR REPLACE FUNCTION concurrent_jobs_of(of_account bigint) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT coalesce(concurrent_jobs, default_concurrent_jobs, 3) FROM account
     WHERE id = of_account AND leaving_at IS NULL AND disabled_at IS NULL
$$;
