-- The pictures of a reel's key moments, as a kind of message. Daemons of the last release send the result as a file instead.
-- The table has only unsent messages, so the check scans few rows.
ALTER TABLE chat_message
    DROP CONSTRAINT chat_message_kind_check,
    ADD CONSTRAINT chat_message_kind_check CHECK (kind IN ('reply', 'status', 'document', 'question', 'frames'));
