-- A forum group's topics are message threads: an answer without the thread of its question lands in the General topic, or
-- is refused where that is closed.

ALTER TABLE chat_message ADD COLUMN message_thread_id bigint;

-- As before (0015), and messages have "message_thread_id", which may be missing.
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
    SELECT bot, said.chat_id, said.message_thread_id, said.account_id, said.kind, said.reply_to, said.job_id,
           coalesce(said.parts, '{}')
      FROM json_to_recordset(messages) AS said (
           chat_id bigint, message_thread_id bigint, account_id bigint, kind text, reply_to bigint, job_id bigint,
           parts text[])
      JOIN tied_chat AS tie ON tie.chat_id = said.chat_id AND tie.account_id = said.account_id
     WHERE (SELECT count(*) FROM chat_message AS waiting WHERE waiting.chat_id = said.chat_id) < 100;
    RETURN true;
END
$$;

-- Links a chat, as before, and answers in a thread. The earlier signature stays for daemons of the last release.
CREATE FUNCTION tie_chat(
    bot bigint, who text, handled_update bigint, wanted_chat bigint, wanted_kind text, wanted_name text,
    code bytea, ties_max integer, answered bigint, answer text[], thread bigint)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    outcome text;
BEGIN
    outcome := tie_chat(
        bot, who, handled_update, wanted_chat, wanted_kind, wanted_name, code, ties_max, answered, answer);
    IF outcome = 'tied' THEN
        UPDATE chat_message SET message_thread_id = thread
         WHERE id = (SELECT max(id) FROM chat_message WHERE chat_id = wanted_chat);
    END IF;
    RETURN outcome;
END
$$;

-- Unlinks a chat, as before, and answers in a thread: nothing but the answer is left to be sent.
CREATE FUNCTION untie_chat(
    bot bigint, who text, handled_update bigint, unwanted_chat bigint, answered bigint, answer text[], thread bigint)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT untie_chat(bot, who, handled_update, unwanted_chat, answered, answer) THEN
        RETURN false;
    END IF;
    UPDATE chat_message SET message_thread_id = thread WHERE chat_id = unwanted_chat;
    RETURN true;
END
$$;
