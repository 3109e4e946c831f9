-- Links a chat to the account of the code, and replies in the thread.
--   outcome: 'tied', 'wrong_code' (unknown, used or expired), 'too_many' (the account has reached its limit of chats; the
--            code stays valid) or 'stale' (finish_update() returned false)
CREATE OR REPLACE FUNCTION tie_chat(
    bot bigint, who text, handled_update bigint, wanted_chat bigint, wanted_kind text, wanted_name text,
    code bytea, ties_max integer, answered bigint, answer text[], thread bigint)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
BEGIN
    IF NOT finish_update(bot, who, handled_update, '[]') THEN
        RETURN 'stale';
    END IF;
    -- Locked until the commit: of two chats that use one code, the second does not find it.
    SELECT offered.account_id INTO owner
      FROM chat_code AS offered JOIN account ON account.id = offered.account_id
     WHERE offered.hash = code AND offered.expires_at > now() AND account.disabled_at IS NULL
       FOR UPDATE OF offered;
    IF owner IS NULL THEN
        RETURN 'wrong_code';
    END IF;
    IF (SELECT count(*) FROM tied_chat WHERE account_id = owner AND chat_id <> wanted_chat) >= ties_max THEN
        RETURN 'too_many';
    END IF;
    DELETE FROM chat_code WHERE account_id = owner;
    -- Messages of another account must not be sent to this chat.
    DELETE FROM chat_message WHERE chat_id = wanted_chat AND account_id <> owner;
    INSERT INTO tied_chat (chat_id, account_id, kind, name) VALUES (wanted_chat, owner, wanted_kind, wanted_name)
    ON CONFLICT (chat_id) DO UPDATE
       SET account_id = excluded.account_id, kind = excluded.kind, name = excluded.name, tied_at = now();
    INSERT INTO chat_message (bot_id, chat_id, message_thread_id, account_id, kind, reply_to, parts)
    VALUES (bot, wanted_chat, thread, owner, 'reply', answered, answer);
    RETURN 'tied';
END
$$;
