-- Keeps what a job waits for, its permit and its step consistent with its status.
CREATE OR REPLACE FUNCTION note_job_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := clock_timestamp();
    IF NEW.status <> 'processing' OR NEW.claim <> OLD.claim THEN
        NEW.step := NULL;
    END IF;
    IF NEW.status <> 'processing' THEN
        NEW.permit := NULL;
    END IF;
    IF NEW.status <> 'pending' THEN
        NEW.waits_for := NULL;
    ELSIF NEW.waits_for IS NULL AND NEW.run_at > now() THEN
        NEW.waits_for := 'time';
    END IF;
    RETURN NEW;
END
$$;
