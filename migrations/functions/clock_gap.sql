-- By how many seconds the database's clock is ahead of the caller's, if that is more than a day; else null. One of the two
-- is then wrong, so nothing expires until they agree.
CREATE OR REPLACE FUNCTION clock_gap(caller_time timestamptz) RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT gap FROM (SELECT extract(epoch FROM now() - caller_time)::double precision AS gap) AS clocks
     WHERE abs(gap) > 86400
$$;
