-- Runs when a job ends: creates its webhook delivery, and makes the next job that waits for the account claimable.
CREATE OR REPLACE FUNCTION make_webhook_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    address text := NEW.webhook_url;
BEGIN
    PERFORM release_queued_jobs(NEW.account_id);
    IF address IS NULL THEN
        SELECT url INTO address FROM webhook_default
         WHERE account_id = NEW.account_id AND NEW.status::text = ANY (events);
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO webhook_delivery (account_id, job_id, url) VALUES (NEW.account_id, NEW.id, address)
    ON CONFLICT (job_id) DO NOTHING;
    RETURN NULL;
END
$$;
