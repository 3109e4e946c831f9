CREATE OR REPLACE FUNCTION resume_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE webhook_delivery
       SET due_at = now(), changed_at = now()
     WHERE account_id = NEW.id AND state = 'pending' AND lease_until IS NULL AND due_at > now();
    RETURN NULL;
END
$$;
