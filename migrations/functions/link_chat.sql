-- Links a chat to the account of the code, and replies in the thread.
--   outcome: 'linked', 'wrong_code' (unknown, used or expired), 'too_many' (the account has reached its limit of chats; the
--            code stays valid) or 'stale' (finish_update() returned false)
CREATE OR REPLACE FUNCTION link_chat(
    bot bigint, of_holder text, handled_update bigint, of_chat bigint, chat_kind text, chat_name text,
    code_hash bytea, chats_max integer, replied_message bigint, reply text[], thread bigint)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
BEGIN
    IF NOT finish_update(bot, of_holder, handled_update, '[]') THEN
        RETURN 'stale';
    END IF;
    -- Locked until the commit: of two chats that use one code, the second does not find it.
    SELECT offered.account_id INTO owner
      FROM chat_code AS offered JOIN account ON account.id = offered.account_id
     WHERE offered.hash = code_hash AND offered.expires_at > now() AND account.disabled_at IS NULL
       FOR UPDATE OF offered;
    IF owner IS NULL THEN
        RETURN 'wrong_code';
    END IF;
    IF (SELECT count(*) FROM linked_chat WHERE account_id = owner AND chat_id <> of_chat) >= chats_max THEN
        RETURN 'too_many';
    END IF;
    DELETE FROM chat_code WHERE account_id = owner;
    -- Messages of another account must not be sent to this chat.
    DELETE FROM chat_message WHERE chat_id = of_chat AND account_id <> owner;
    INSERT INTO linked_chat (chat_id, account_id, kind, name) VALUES (of_chat, owner, chat_kind, chat_name)
    ON CONFLICT (chat_id) DO UPDATE
       SET account_id = excluded.account_id, kind = excluded.kind, name = excluded.name, linked_at = now();
    INSERT INTO chat_message (bot_id, chat_id, message_thread_id, account_id, kind, reply_to, parts)
    VALUES (bot, of_chat, thread, owner, 'reply', replied_message, reply);
    RETURN 'linked';
END
$$;
