-- Saves a search, unless the account has `searches_max` or one of this name. One statement of an account at a time, so that
-- the limit holds.
-- outcome: 'saved' (search_id and saved_at are set), 'too_many' or 'name_in_use'
CREATE OR REPLACE FUNCTION add_saved_search(
    owner bigint, searches_max integer, wanted_name text, wanted_query text, wanted_author text,
    wanted_score double precision)
RETURNS TABLE (outcome text, search_id bigint, saved_at timestamptz)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM account WHERE id = owner FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM saved_search WHERE account_id = owner AND name = wanted_name) THEN
        outcome := 'name_in_use';
    ELSIF (SELECT count(*) FROM saved_search WHERE account_id = owner) >= searches_max THEN
        outcome := 'too_many';
    ELSE
        outcome := 'saved';
        INSERT INTO saved_search (account_id, name, query, author, min_score)
        VALUES (owner, wanted_name, wanted_query, wanted_author, wanted_score)
        RETURNING id, created_at INTO search_id, saved_at;
    END IF;
    RETURN NEXT;
END
$$;
