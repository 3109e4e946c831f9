-- Unlinks a chat at its own request, and deletes its unsent messages, except for the reply in the thread. Returns the result
-- of finish_update().
CREATE OR REPLACE FUNCTION untie_chat(
    bot bigint, who text, handled_update bigint, unwanted_chat bigint, answered bigint, answer text[], thread bigint)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
BEGIN
    IF NOT finish_update(bot, who, handled_update, '[]') THEN
        RETURN false;
    END IF;
    DELETE FROM tied_chat WHERE chat_id = unwanted_chat RETURNING account_id INTO owner;
    DELETE FROM chat_message WHERE chat_id = unwanted_chat;
    IF owner IS NOT NULL THEN
        INSERT INTO chat_message (bot_id, chat_id, message_thread_id, account_id, kind, reply_to, parts)
        VALUES (bot, unwanted_chat, thread, owner, 'reply', answered, answer);
    END IF;
    RETURN true;
END
$$;
