-- Deletes a reel at the request of a chat, and replies whether it existed.
--   outcome: 'deleted', 'unknown' or 'stale' (finish_update() returned false)
CREATE OR REPLACE FUNCTION delete_job_for_chat(
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
