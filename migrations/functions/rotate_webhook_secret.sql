-- Replaces the signing secret with `made`; the previous one also signs for another day. Keeps the three newest of the
-- previous secrets that still sign, because all signatures share one header.
CREATE OR REPLACE FUNCTION rotate_webhook_secret(owner bigint, made text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Serialized: two concurrent rotations must not replace the same secret.
    PERFORM FROM account WHERE id = owner FOR NO KEY UPDATE;
    UPDATE webhook_secret SET expires_at = now() + interval '24 hours'
     WHERE account_id = owner AND expires_at IS NULL;
    DELETE FROM webhook_secret
     WHERE account_id = owner AND secret NOT IN (
           SELECT kept.secret FROM webhook_secret AS kept
            WHERE kept.account_id = owner ORDER BY kept.expires_at DESC LIMIT 3);
    -- A concurrent request may have created the first one.
    INSERT INTO webhook_secret (account_id, secret) VALUES (owner, made)
    ON CONFLICT (account_id) WHERE expires_at IS NULL
    DO UPDATE SET secret = excluded.secret, created_at = now();
END
$$;
