-- Requests permission to send one request to a resolver now.
--   interval_seconds: time between the starts of two requests, already randomized; 0: no rate limit
--   hourly: requests per hour, at least 1
--   busy_seconds: upper bound on the time of a request; a daemon that dies during one delays others at most this long
--   heed_cooldown: whether the platform's cool-down counts
-- outcome: 'now', 'later' or 'cooling_down'; wait_seconds: 0, or the minimum time to wait.
CREATE OR REPLACE FUNCTION ask_resolver_turn(
    of_host text, of_resolver text, interval_seconds double precision, hourly integer,
    busy_seconds double precision, heed_cooldown boolean)
RETURNS TABLE (outcome text, wait_seconds double precision)
LANGUAGE plpgsql AS $$
DECLARE
    pace resolver_pace := lock_resolver_pace(of_host, of_resolver, interval_seconds, busy_seconds);
    moment timestamptz := clock_timestamp();
    tokens double precision;
BEGIN
    outcome := 'now';
    wait_seconds := 0;
    IF heed_cooldown AND pace.cooldown_until > moment THEN
        outcome := 'cooling_down';
        wait_seconds := extract(epoch FROM pace.cooldown_until - moment);
    ELSIF interval_seconds > 0 THEN
        -- A clock that stepped back must not take tokens away.
        tokens := least(
            hourly,
            coalesce(pace.hour_tokens, hourly)
                + greatest(0, extract(epoch FROM moment - coalesce(pace.hour_at, moment)))
                  * hourly / 3600.0);
        IF pace.next_at > moment THEN
            wait_seconds := extract(epoch FROM pace.next_at - moment);
        END IF;
        IF tokens < 1 THEN
            wait_seconds := greatest(wait_seconds, (1 - tokens) * 3600.0 / hourly);
        END IF;
        IF pace.busy_until > moment THEN
            -- The end of the request in flight is not known; most take one or two seconds.
            wait_seconds := greatest(wait_seconds, least(
                1, extract(epoch FROM pace.busy_until - moment)));
        END IF;
        IF wait_seconds > 0 THEN
            outcome := 'later';
        ELSE
            UPDATE resolver_pace
               SET next_at = moment + make_interval(secs => interval_seconds),
                   busy_until = moment + make_interval(secs => busy_seconds),
                   hour_tokens = tokens - 1, hour_at = moment
             WHERE host = of_host AND resolver = of_resolver;
        END IF;
    END IF;
    RETURN NEXT;
END
$$;
