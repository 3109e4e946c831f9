-- Unlinks a chat at its own request, and deletes its unsent messages, except for the reply in the thread. Returns the result
-- of finish_update().
CREATE OR REPLACE FUNCTION unlink_chat(
    bot bigint, of_holder text, handled_update bigint, of_chat bigint, replied_message bigint, reply text[], thread bigint)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
BEGIN
    IF NOT finish_update(bot, of_holder, handled_update, '[]') THEN
        RETURN false;
    END IF;
    DELETE FROM linked_chat WHERE chat_id = of_chat RETURNING account_id INTO owner;
    DELETE FROM chat_message WHERE chat_id = of_chat;
    IF owner IS NOT NULL THEN
        INSERT INTO chat_message (bot_id, chat_id, message_thread_id, account_id, kind, reply_to, parts)
        VALUES (bot, of_chat, thread, owner, 'reply', replied_message, reply);
    END IF;
    RETURN true;
END
$$;
