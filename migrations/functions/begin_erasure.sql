-- Begins to erase an account: revokes its password, tokens, sessions, chats and links in one transaction. erase_some()
-- removes its data.
--   verified_hash: hash of the password that the owner has proved to know; null: an administrator erases the account
--   outcome: 'begun' (also when erasure had begun before), 'not_found', 'password_changed' (since it was verified) or
--            'last_administrator'
CREATE OR REPLACE FUNCTION begin_erasure(leaver bigint, verified_hash text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    owner account%ROWTYPE;
BEGIN
    -- Serialized with change_account(): of two administrators who are erased at once, one remains.
    PERFORM pg_advisory_xact_lock(hashtext('reelsd change_account'));
    SELECT * INTO owner FROM account WHERE id = leaver FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN 'not_found';
    END IF;
    IF owner.leaving_at IS NOT NULL THEN
        RETURN 'begun';
    END IF;
    IF verified_hash IS NOT NULL AND verified_hash IS DISTINCT FROM owner.password_hash THEN
        RETURN 'password_changed';
    END IF;
    IF owner.is_admin AND owner.password_hash IS NOT NULL AND owner.disabled_at IS NULL AND NOT EXISTS (
        SELECT FROM account
         WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL AND id <> leaver)
    THEN
        RETURN 'last_administrator';
    END IF;
    UPDATE account
       SET leaving_at = now(), disabled_at = coalesce(disabled_at, now()), password_hash = NULL, is_admin = false
     WHERE id = leaver;
    DELETE FROM api_token WHERE account_id = leaver;
    DELETE FROM web_session WHERE account_id = leaver;
    DELETE FROM invitation WHERE account_id = leaver;
    DELETE FROM chat_code WHERE account_id = leaver;
    DELETE FROM chat_message WHERE account_id = leaver;
    DELETE FROM linked_chat WHERE account_id = leaver;
    DELETE FROM webhook_default WHERE account_id = leaver;
    DELETE FROM webhook_secret WHERE account_id = leaver;
    RETURN 'begun';
END
$$;
