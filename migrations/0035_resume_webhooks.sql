-- Deliveries of a disabled account are put off. They are due again at once when the account is enabled.

CREATE FUNCTION resume_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE webhook_delivery
       SET due_at = now(), changed_at = now()
     WHERE account_id = NEW.id AND state = 'pending' AND lease_until IS NULL AND due_at > now();
    RETURN NULL;
END
$$;
CREATE TRIGGER account_enabled AFTER UPDATE OF disabled_at ON account
    FOR EACH ROW
    WHEN (OLD.disabled_at IS NOT NULL AND NEW.disabled_at IS NULL)
    EXECUTE FUNCTION resume_webhooks();
