-- Stores the key of an admitted submission at once, because the same statement may contain it again. The job is stored
-- later, together with others.
CREATE OR REPLACE FUNCTION store_submission_key(
    owner bigint, of_key text, of_position integer, of_hash text, of_job bigint, moment timestamptz)
RETURNS void
LANGUAGE sql AS $$
    INSERT INTO submission_key (account_id, key, position, request_hash, job_id, created_at)
    VALUES (owner, of_key, of_position, of_hash, of_job, moment)
    -- Replaces an expired key that has not been deleted yet.
    ON CONFLICT ON CONSTRAINT submission_key_pkey
        DO UPDATE SET request_hash = excluded.request_hash, job_id = excluded.job_id, created_at = excluded.created_at
$$;
