-- For the chat bot. A chat speaks for the account that it is tied to; what has been handled and what is still to be said
-- are rows, so that no update is lost or repeated when a daemon dies.

-- One row for each bot that has ever been run here, by the number that its platform gives it.
CREATE TABLE chat_bot (
    id bigint PRIMARY KEY,
    -- What has been handled. Numbers of updates start anew after a week without any.
    last_update_id bigint,
    last_update_at timestamptz,
    -- The one daemon that speaks for it, and until when if it does not say so again.
    holder text,
    held_until timestamptz,
    CHECK ((last_update_id IS NULL) = (last_update_at IS NULL)),
    CHECK ((holder IS NULL) = (held_until IS NULL))
);

CREATE TABLE tied_chat (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- As the platform numbers it: a person's own number in a private chat, a negative one for a group.
    chat_id bigint NOT NULL UNIQUE,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('private', 'group')),
    name text NOT NULL CHECK (length(name) <= 200),
    tied_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tied_chat_of_account ON tied_chat (account_id);

-- One for each account: a newer code ends the older one.
CREATE TABLE chat_code (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    expires_at timestamptz NOT NULL
);

-- What is still to be said; gone once it has been.
CREATE TABLE chat_message (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot_id bigint NOT NULL REFERENCES chat_bot ON DELETE CASCADE,
    chat_id bigint NOT NULL,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- 'reply': the parts as they stand; 'status': how a job goes on, until it has ended; 'document': its result as a file.
    kind text NOT NULL CHECK (kind IN ('reply', 'status', 'document')),
    -- The message that it answers, where that is to be shown.
    reply_to bigint,
    -- No reference: that a job is gone has to be told as well.
    job_id bigint,
    parts text[] NOT NULL DEFAULT '{}',
    -- The message that is edited, once it has been sent, and what it shows.
    message_id bigint,
    shown text NOT NULL DEFAULT '',
    parts_sent integer NOT NULL DEFAULT 0 CHECK (parts_sent >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind = 'reply') = (job_id IS NULL)),
    CHECK ((kind = 'reply') = (cardinality(parts) > 0))
);
CREATE INDEX chat_message_of_bot ON chat_message (bot_id, id);
CREATE INDEX chat_message_of_chat ON chat_message (chat_id);
CREATE INDEX chat_message_of_account ON chat_message (account_id);

-- Notes that an update has been handled, together with what is to be said because of it. False, and nothing happens, when
-- it was handled before or somebody else speaks for the bot.
--   messages: an array of {"chat_id", "account_id", "kind", "reply_to", "job_id", "parts"}; of a chat that is tied to another
--             account by now nothing is kept, nor what goes beyond a hundred that wait
CREATE FUNCTION finish_update(bot bigint, who text, handled_update bigint, messages json)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE chat_bot SET last_update_id = handled_update, last_update_at = now()
     WHERE id = bot AND holder = who
       AND (last_update_id IS NULL OR last_update_id < handled_update OR last_update_at < now() - interval '6 days');
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO chat_message (bot_id, chat_id, account_id, kind, reply_to, job_id, parts)
    SELECT bot, said.chat_id, said.account_id, said.kind, said.reply_to, said.job_id, coalesce(said.parts, '{}')
      FROM json_to_recordset(messages) AS said (
           chat_id bigint, account_id bigint, kind text, reply_to bigint, job_id bigint, parts text[])
      JOIN tied_chat AS tie ON tie.chat_id = said.chat_id AND tie.account_id = said.account_id
     WHERE (SELECT count(*) FROM chat_message AS waiting WHERE waiting.chat_id = said.chat_id) < 100;
    RETURN true;
END
$$;

-- Ties a chat to the account whose code this is, and says so.
--   outcome: 'tied', 'wrong_code' (unknown, used or expired), 'too_many' (the account has as many chats as it may; the code
--            stays good) or 'stale' (as when finish_update() gives false)
CREATE FUNCTION tie_chat(
    bot bigint, who text, handled_update bigint, wanted_chat bigint, wanted_kind text, wanted_name text,
    code bytea, ties_max integer, answered bigint, answer text[])
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
BEGIN
    IF NOT finish_update(bot, who, handled_update, '[]') THEN
        RETURN 'stale';
    END IF;
    -- Locked until we commit: of two chats that use one code, the second finds it gone.
    SELECT offered.account_id INTO owner
      FROM chat_code AS offered JOIN account ON account.id = offered.account_id
     WHERE offered.hash = code AND offered.expires_at > now() AND account.disabled_at IS NULL
       FOR UPDATE OF offered;
    IF owner IS NULL THEN
        RETURN 'wrong_code';
    END IF;
    IF (SELECT count(*) FROM tied_chat WHERE account_id = owner AND chat_id <> wanted_chat) >= ties_max THEN
        RETURN 'too_many';
    END IF;
    DELETE FROM chat_code WHERE account_id = owner;
    -- What was to be said for another account is not to be heard any more.
    DELETE FROM chat_message WHERE chat_id = wanted_chat AND account_id <> owner;
    INSERT INTO tied_chat (chat_id, account_id, kind, name) VALUES (wanted_chat, owner, wanted_kind, wanted_name)
    ON CONFLICT (chat_id) DO UPDATE
       SET account_id = excluded.account_id, kind = excluded.kind, name = excluded.name, tied_at = now();
    INSERT INTO chat_message (bot_id, chat_id, account_id, kind, reply_to, parts)
    VALUES (bot, wanted_chat, owner, 'reply', answered, answer);
    RETURN 'tied';
END
$$;

-- Ends a chat's tie at its own wish, with all that was still to be said, but for the answer. False as finish_update().
CREATE FUNCTION untie_chat(
    bot bigint, who text, handled_update bigint, unwanted_chat bigint, answered bigint, answer text[])
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
        INSERT INTO chat_message (bot_id, chat_id, account_id, kind, reply_to, parts)
        VALUES (bot, unwanted_chat, owner, 'reply', answered, answer);
    END IF;
    RETURN true;
END
$$;

-- Deletes a reel at a chat's wish, and says whether there was one.
--   outcome: 'deleted', 'unknown' or 'stale' (as when finish_update() gives false)
CREATE FUNCTION delete_job_for_chat(
    bot bigint, who text, handled_update bigint, owner bigint, unwanted_job bigint, if_deleted json, if_unknown json)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    is_there boolean;
BEGIN
    is_there := EXISTS (SELECT FROM job WHERE account_id = owner AND id = unwanted_job FOR UPDATE);
    IF NOT finish_update(bot, who, handled_update, CASE WHEN is_there THEN if_deleted ELSE if_unknown END) THEN
        RETURN 'stale';
    END IF;
    DELETE FROM job WHERE account_id = owner AND id = unwanted_job;
    RETURN CASE WHEN is_there THEN 'deleted' ELSE 'unknown' END;
END
$$;

-- A group has become another one, as the platform numbers it.
CREATE FUNCTION move_chat(former bigint, present bigint)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE chat_message SET chat_id = present WHERE chat_id = former;
    IF EXISTS (SELECT FROM tied_chat WHERE chat_id = present) THEN
        DELETE FROM tied_chat WHERE chat_id = former;
    ELSE
        UPDATE tied_chat SET chat_id = present WHERE chat_id = former;
    END IF;
END
$$;
