-- Removes and adds tags of an account's reels; removed = NULL removes all others. Returns the number of reels found, or
-- -1, and changes nothing, if one would have more than tags_max. The locks make changes of one reel take turns.
CREATE OR REPLACE FUNCTION change_tags(
    owner bigint, ids bigint[], added text[], removed text[], tags_max integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    found bigint[];
BEGIN
    SELECT coalesce(array_agg(id), '{}') INTO found FROM (
        SELECT id FROM job WHERE account_id = owner AND id = ANY (ids) ORDER BY id FOR NO KEY UPDATE) AS locked;
    IF EXISTS (
        SELECT FROM unnest(found) AS reel (id)
         WHERE tags_max < (
               SELECT count(*) FROM (
                   SELECT tag FROM reel_tag WHERE job_id = reel.id AND tag <> ALL (removed)
                    UNION SELECT unnest(added)) AS kept)) THEN
        RETURN -1;
    END IF;
    DELETE FROM reel_tag
     WHERE job_id = ANY (found) AND tag <> ALL (added) AND (removed IS NULL OR tag = ANY (removed));
    INSERT INTO reel_tag (job_id, tag, account_id)
    SELECT reel.id, tag, owner FROM unnest(found) AS reel (id), unnest(added) AS tag
        ON CONFLICT DO NOTHING;
    RETURN cardinality(found);
END $$;
