-- Locks a resolver's row, and repairs times that were written before the clock was set back: no real delay is as long. An
-- interval is randomized between a half and one and a half of its mean.
CREATE OR REPLACE FUNCTION lock_resolver_pace(
    of_host text, of_resolver text, interval_seconds double precision, busy_seconds double precision)
RETURNS resolver_pace
LANGUAGE plpgsql AS $$
DECLARE
    pace resolver_pace;
    moment timestamptz;
BEGIN
    INSERT INTO resolver_pace (host, resolver) VALUES (of_host, of_resolver) ON CONFLICT DO NOTHING;
    SELECT * INTO pace FROM resolver_pace
     WHERE host = of_host AND resolver = of_resolver FOR NO KEY UPDATE;
    moment := clock_timestamp();
    IF pace.next_at > moment + make_interval(secs => 3 * interval_seconds)
       OR pace.busy_until > moment + make_interval(secs => busy_seconds)
       OR pace.cooldown_until > moment + make_interval(secs => pace.cooldown_seconds)
       OR pace.hour_at > moment THEN
        UPDATE resolver_pace AS kept
           SET next_at = least(kept.next_at, moment + make_interval(secs => interval_seconds)),
               busy_until = least(kept.busy_until, moment + make_interval(secs => busy_seconds)),
               cooldown_until = least(
                   kept.cooldown_until, moment + make_interval(secs => kept.cooldown_seconds)),
               hour_at = least(kept.hour_at, moment)
         WHERE kept.host = of_host AND kept.resolver = of_resolver
        RETURNING kept.* INTO pace;
    END IF;
    RETURN pace;
END
$$;
