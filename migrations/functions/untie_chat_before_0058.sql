-- The name that daemons of the previous release call.
CREATE OR REPLACE FUNCTION untie_chat(
    bot bigint, who text, handled_update bigint, unwanted_chat bigint, answered bigint, answer text[], thread bigint)
RETURNS boolean
LANGUAGE sql AS $$
    SELECT unlink_chat(bot, who, handled_update, unwanted_chat, answered, answer, thread)
$$;
