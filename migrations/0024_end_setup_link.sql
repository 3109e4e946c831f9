-- The setup link, an invitation without an account, makes the first administrator. It ends with that: the link is in the
-- log, and whoever reads the log within its seven days must not become a second administrator.

-- As before, but: the setup link is 'invalid' once there is an administrator; and accounts are locked in the order in
-- which change_account() and begin_erasure() lock them, before invitations and sessions.
CREATE OR REPLACE FUNCTION accept_invitation(invited bytea, wanted_email text, new_password_hash text)
RETURNS TABLE (outcome text, account_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    offer invitation%ROWTYPE;
    owner account%ROWTYPE;
BEGIN
    -- One after the other, as change_account(): of two who use one link, the second finds it gone.
    PERFORM pg_advisory_xact_lock(hashtext('reelsd change_account'));
    outcome := 'invalid';
    SELECT * INTO offer FROM invitation WHERE hash = invited AND expires_at > now();
    IF NOT FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;

    IF offer.account_id IS NULL THEN
        PERFORM FROM invitation WHERE hash = invited FOR UPDATE;  -- A newer link may be replacing it.
        IF NOT FOUND OR EXISTS (
            SELECT FROM account
             WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL)
        THEN
            RETURN NEXT;
            RETURN;
        END IF;
        -- The address may have an account already, made at a terminal, with tokens and reels, but without a password.
        INSERT INTO account (email, is_admin) VALUES (wanted_email, true)
        ON CONFLICT (lower(email)) DO UPDATE SET is_admin = true
            WHERE account.password_hash IS NULL AND account.disabled_at IS NULL
        RETURNING * INTO owner;
        IF NOT FOUND THEN
            outcome := 'taken';
            RETURN NEXT;
            RETURN;
        END IF;
    ELSE
        SELECT * INTO owner FROM account
         WHERE id = offer.account_id AND disabled_at IS NULL FOR NO KEY UPDATE;
        IF NOT FOUND THEN
            RETURN NEXT;
            RETURN;
        END IF;
    END IF;

    DELETE FROM invitation WHERE hash = invited;
    IF NOT FOUND THEN  -- Replaced while the account was waited for.
        RETURN NEXT;
        RETURN;
    END IF;
    UPDATE account SET password_hash = new_password_hash WHERE id = owner.id;
    DELETE FROM web_session AS session WHERE session.account_id = owner.id;
    outcome := 'accepted';
    account_id := owner.id;
    RETURN NEXT;
END
$$;

-- However an administrator comes to be: by a link, by another one's change, by being enabled again.
CREATE FUNCTION end_setup_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM invitation WHERE account_id IS NULL;
    RETURN NULL;
END
$$;
CREATE TRIGGER administrator_made AFTER UPDATE OF is_admin, password_hash, disabled_at ON account
    FOR EACH ROW
    WHEN (NEW.is_admin AND NEW.password_hash IS NOT NULL AND NEW.disabled_at IS NULL
          AND NOT (OLD.is_admin AND OLD.password_hash IS NOT NULL AND OLD.disabled_at IS NULL))
    EXECUTE FUNCTION end_setup_link();

DELETE FROM invitation
 WHERE account_id IS NULL AND EXISTS (
     SELECT FROM account WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL);
