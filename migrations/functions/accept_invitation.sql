-- Accepts an invitation: sets the password of its account, or creates the account. A setup link is 'invalid' once there is
-- an administrator. Locks accounts before invitations and sessions, in the order of change_account().
CREATE OR REPLACE FUNCTION accept_invitation(invited bytea, wanted_email text, new_password_hash text)
RETURNS TABLE (outcome text, account_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    offer invitation%ROWTYPE;
    owner account%ROWTYPE;
BEGIN
    -- Serialized with change_account(): of two concurrent uses of one link, the second finds it gone.
    PERFORM pg_advisory_xact_lock(hashtext('reelsd change_account'));
    outcome := 'invalid';
    SELECT * INTO offer FROM invitation WHERE hash = invited AND expires_at > now();
    IF NOT FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;

    IF offer.account_id IS NULL THEN
        PERFORM FROM invitation WHERE hash = invited FOR UPDATE;  -- A concurrent transaction may replace it with a newer link.
        IF NOT FOUND OR EXISTS (
            SELECT FROM account
             WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL)
        THEN
            RETURN NEXT;
            RETURN;
        END IF;
        -- The address may already have an account without a password, created in a terminal, with tokens and reels.
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
    IF NOT FOUND THEN  -- Replaced while this function waited for the account.
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
