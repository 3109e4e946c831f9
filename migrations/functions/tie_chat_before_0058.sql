-- The name that daemons of the previous release call.
CREATE OR REPLACE FUNCTION tie_chat(
    bot bigint, who text, handled_update bigint, wanted_chat bigint, wanted_kind text, wanted_name text,
    code bytea, ties_max integer, answered bigint, answer text[], thread bigint)
RETURNS text
LANGUAGE sql AS $$
    SELECT CASE outcome WHEN 'linked' THEN 'tied' ELSE outcome END
      FROM link_chat(
           bot, who, handled_update, wanted_chat, wanted_kind, wanted_name, code, ties_max, answered, answer, thread)
           AS outcome
$$;
