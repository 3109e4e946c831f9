-- The first resolver that does not cool down, without a lock. Times that are further ahead than any delay were written
-- before the clock was set back: lock_resolver_pace() repairs them.
--   resolvers: in the order in which they are asked
--   interval_seconds: on average
-- outcome: 'now' (chosen is set), 'later' or 'cooling_down' (all of them; the values are of the one that is ready first)
CREATE OR REPLACE FUNCTION choose_resolver(
    of_host text, resolvers text[], interval_seconds double precision, heed_cooldown boolean)
RETURNS TABLE (outcome text, chosen text, wait_seconds double precision, cooldown_length double precision)
LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    pace resolver_pace;
    candidate text;
    seconds double precision;
BEGIN
    FOREACH candidate IN ARRAY resolvers LOOP
        SELECT * INTO pace FROM resolver_pace WHERE host = of_host AND resolver = candidate;
        IF heed_cooldown AND pace.cooldown_until > moment
           AND pace.cooldown_until <= moment + make_interval(secs => pace.cooldown_seconds) THEN
            outcome := 'cooling_down';
            seconds := extract(epoch FROM pace.cooldown_until - moment);
            IF wait_seconds IS NULL OR wait_seconds > seconds THEN
                wait_seconds := seconds;
                cooldown_length := pace.cooldown_seconds;
            END IF;
        ELSIF pace.next_at > moment AND pace.next_at <= moment + make_interval(secs => 3 * interval_seconds) THEN
            outcome := 'later';
            wait_seconds := extract(epoch FROM pace.next_at - moment);
            EXIT;
        ELSE
            outcome := 'now';
            chosen := candidate;
            EXIT;
        END IF;
    END LOOP;
    RETURN NEXT;
END
$$;
