-- Questions of chats wait in the queue of the chat bot until a model has answered them. The answer then replaces the question.
-- job_id is the reel that is asked, or 0 for all reels of the account: daemons of the last release, which know no questions, then
-- drop the message. The table has only unsent messages, so the checks scan few rows.
ALTER TABLE chat_message
    DROP CONSTRAINT chat_message_kind_check,
    ADD CONSTRAINT chat_message_kind_check CHECK (kind IN ('reply', 'status', 'document', 'question')),
    DROP CONSTRAINT chat_message_check1,
    ADD CONSTRAINT chat_message_check1 CHECK ((kind IN ('reply', 'question')) = (cardinality(parts) > 0));
