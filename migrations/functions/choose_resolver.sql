-- Chooses the first resolver that is not in a cool-down, and the first of its proxies to be ready, without a lock. Times
-- further ahead than any delay were written before the clock was set back: lock_resolver_pace() repairs them.
--   resolvers: in order of preference; "page via PROXY" is the resolver "page" with one of its proxies
--   interval_seconds: mean value
-- outcome: 'now' (chosen is set), 'later' or 'cooling_down' (all resolvers; the values are those of the first to be ready)
CREATE OR REPLACE FUNCTION choose_resolver(
    of_host text, resolvers text[], interval_seconds double precision, heed_cooldown boolean)
RETURNS TABLE (outcome text, chosen text, wait_seconds double precision, cooldown_length double precision)
LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    best record;
BEGIN
    SELECT candidate.* INTO best
      FROM (SELECT asked.name, asked.place, split_part(asked.name, ' via ', 1) AS resolver, pace.cooldown_seconds,
                   heed_cooldown AND pace.cooldown_until > moment
                   AND pace.cooldown_until <= moment + make_interval(secs => pace.cooldown_seconds) AS cools_down,
                   pace.cooldown_until, coalesce(pace.busy_until, '-infinity') AS busy_until,
                   CASE WHEN pace.next_at <= moment + make_interval(secs => 3 * interval_seconds)
                        THEN pace.next_at END AS next_at
              FROM unnest(resolvers) WITH ORDINALITY AS asked (name, place)
              LEFT JOIN resolver_pace AS pace ON pace.host = of_host AND pace.resolver = asked.name) AS candidate
     ORDER BY coalesce(candidate.cools_down, false),
              CASE WHEN candidate.cools_down THEN candidate.cooldown_until END,
              min(candidate.place) OVER (PARTITION BY candidate.resolver),
              candidate.busy_until > moment, candidate.next_at NULLS FIRST, candidate.place
     LIMIT 1;
    IF best.cools_down THEN
        outcome := 'cooling_down';
        wait_seconds := extract(epoch FROM best.cooldown_until - moment);
        cooldown_length := best.cooldown_seconds;
    ELSIF best.next_at > moment THEN
        outcome := 'later';
        wait_seconds := extract(epoch FROM best.next_at - moment);
    ELSE
        outcome := 'now';
        chosen := best.name;
    END IF;
    RETURN NEXT;
END
$$;
