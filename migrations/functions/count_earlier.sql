-- Number of the account's jobs on the same post that are older than the job, counted up to 1,000.
CREATE OR REPLACE FUNCTION count_earlier(owner bigint, post text, before bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM (
        SELECT FROM job AS older
         WHERE older.account_id = owner AND post_of(older) = post AND older.id < before
         LIMIT 1000) AS capped
$$;
