-- Ends the comparison of a reel with its account's saved searches: stores the matches, and creates their webhook deliveries
-- and chat messages. A match is reported once, even if the comparison is repeated. Returns the number of new matches.
--   searches, scores: of the saved searches that the reel matches
--   texts: the chat message for each, in the Bot API's HTML
CREATE OR REPLACE FUNCTION finish_search_check(
    reel bigint, searches bigint[], scores double precision[], texts text[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
    matched bigint[];
BEGIN
    DELETE FROM search_check WHERE job_id = reel RETURNING account_id INTO owner;
    IF owner IS NULL THEN  -- Another daemon has compared it, or it was deleted.
        RETURN 0;
    END IF;
    WITH added AS (
        INSERT INTO search_match (search_id, job_id, score)
        SELECT search.id, reel, found.score
          FROM unnest(searches, scores) AS found (id, score)
          JOIN saved_search AS search ON search.id = found.id AND search.account_id = owner
        ON CONFLICT DO NOTHING
        RETURNING search_id)
    SELECT array_agg(search_id) INTO matched FROM added;
    IF matched IS NULL THEN
        RETURN 0;
    END IF;
    INSERT INTO webhook_delivery (account_id, matched_job_id, search_id, url)
    SELECT owner, reel, search_id, usual.url
      FROM unnest(matched) AS search_id
      JOIN webhook_default AS usual ON usual.account_id = owner AND 'search.matched' = ANY (usual.events);
    -- The bot that a daemon runs now, or ran last.
    INSERT INTO chat_message (bot_id, chat_id, account_id, kind, parts)
    SELECT bot.id, linked.chat_id, owner, 'reply', ARRAY[found.words]
      FROM (SELECT id FROM chat_bot ORDER BY held_until DESC NULLS LAST, last_update_at DESC NULLS LAST LIMIT 1) AS bot,
           unnest(searches, texts) AS found (id, words),
           linked_chat AS linked
     WHERE found.id = ANY (matched) AND linked.account_id = owner
       AND (SELECT count(*) FROM chat_message AS waiting
             WHERE waiting.chat_id = linked.chat_id AND waiting.bot_id = bot.id) < 100;
    RETURN cardinality(matched);
END
$$;
