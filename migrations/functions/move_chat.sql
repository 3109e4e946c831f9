-- Moves the link of a group to the new id that the chat platform has assigned.
CREATE OR REPLACE FUNCTION move_chat(former bigint, present bigint)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE chat_message SET chat_id = present WHERE chat_id = former;
    IF EXISTS (SELECT FROM linked_chat WHERE chat_id = present) THEN
        DELETE FROM linked_chat WHERE chat_id = former;
    ELSE
        UPDATE linked_chat SET chat_id = present WHERE chat_id = former;
    END IF;
END
$$;
