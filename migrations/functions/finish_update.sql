-- Records that an update of the chat platform was handled, together with the replies. Returns false if another process holds
-- the bot or the update was handled before.
CREATE OR REPLACE FUNCTION finish_update(bot bigint, who text, handled_update bigint, messages json)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE chat_bot SET last_update_id = handled_update, last_update_at = now()
     WHERE id = bot AND holder = who
       AND (last_update_id IS NULL OR last_update_id < handled_update OR last_update_at < now() - interval '6 days');
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO chat_message (bot_id, chat_id, message_thread_id, account_id, kind, reply_to, job_id, parts)
    SELECT bot, message.chat_id, message.message_thread_id, message.account_id, message.kind, message.reply_to, message.job_id,
           coalesce(message.parts, '{}')
      FROM json_to_recordset(messages) AS message (
           chat_id bigint, message_thread_id bigint, account_id bigint, kind text, reply_to bigint, job_id bigint,
           parts text[])
      JOIN linked_chat AS linked ON linked.chat_id = message.chat_id AND linked.account_id = message.account_id
     WHERE (SELECT count(*) FROM chat_message AS waiting
             WHERE waiting.chat_id = message.chat_id AND waiting.bot_id = bot) < 100;
    RETURN true;
END
$$;
