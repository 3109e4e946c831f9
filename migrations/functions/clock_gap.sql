-- Seconds by which the database's clock and the caller's differ, positive if the database's is ahead. Null if they differ by
-- at most a day. Otherwise one of the clocks is wrong, so nothing expires until they agree.
CREATE OR REPLACE FUNCTION clock_gap(caller_time timestamptz) RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT gap FROM (SELECT extract(epoch FROM now() - caller_time)::double precision AS gap) AS clocks
     WHERE abs(gap) > 86400
$$;
