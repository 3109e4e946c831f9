-- Registers an object before a job's attempt writes it. Earlier objects of the job are marked for deletion unless they are
-- listed in `others` (of the same attempt). Returns null if the claim has passed.
CREATE OR REPLACE FUNCTION register_object(of_job bigint, of_claim integer, in_store text, others uuid[]) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    registered uuid;
BEGIN
    PERFORM FROM job WHERE id = of_job AND claim = of_claim AND status = 'processing' FOR KEY SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE media_object SET job_id = NULL, delete_at = now()
     WHERE job_id = of_job AND NOT is_kept AND id <> ALL (others);
    INSERT INTO media_object (store, job_id) VALUES (in_store, of_job) RETURNING id INTO registered;
    RETURN registered;
END
$$;
