CREATE OR REPLACE FUNCTION note_job_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO deleted_job (account_id, job_id) VALUES (OLD.account_id, OLD.id) ON CONFLICT DO NOTHING;
    IF OLD.status IN ('pending', 'processing') THEN
        PERFORM release_queued_jobs(OLD.account_id);
    END IF;
    RETURN NULL;
END
$$;
