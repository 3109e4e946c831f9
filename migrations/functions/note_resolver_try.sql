-- Records the outcome of a request to a resolver.
--   of_code: the short code that was looked up
--   try_outcome: 'answered', 'throttled' (all requests), 'rate_limited' (possibly this link only), 'changed' or 'failed'
--   cooldown_first, cooldown_max: seconds; the first cool-down, doubled each time; 0: none
-- begun_cooldown: length of the cool-down that this starts, in seconds; null for none.
-- warn: a resolver that used to work has had only answers of unknown shape, at least three, and no warning was given
--   within the last hour; unknown: the number of such answers.
CREATE OR REPLACE FUNCTION note_resolver_try(
    of_host text, of_resolver text, of_code text, try_outcome text, cooldown_first double precision,
    cooldown_max double precision)
RETURNS TABLE (begun_cooldown double precision, warn boolean, unknown integer)
LANGUAGE plpgsql AS $$
DECLARE
    window_max CONSTANT interval := interval '10 minutes';
    pace resolver_pace%ROWTYPE;
    moment timestamptz;
    code_hash bigint := hashtextextended(of_code, 0);
BEGIN
    INSERT INTO resolver_pace (host, resolver) VALUES (of_host, of_resolver) ON CONFLICT DO NOTHING;
    SELECT * INTO pace FROM resolver_pace
     WHERE host = of_host AND resolver = of_resolver FOR NO KEY UPDATE;
    moment := clock_timestamp();
    warn := false;

    IF try_outcome = 'answered' THEN
        pace.cooldown_seconds := 0;
        pace.cooldown_until := '-infinity';
        pace.suspect_code := NULL;
        pace.suspect_at := NULL;
        pace.unknown_answers := 0;
        -- The time of the last success is needed only to the hour.
        IF pace.answered_at IS NULL OR pace.answered_at < moment - interval '1 minute' THEN
            pace.answered_at := moment;
        END IF;
    -- Requests that started before a cool-down and end during it do not prolong it.
    ELSIF try_outcome IN ('throttled', 'rate_limited') AND cooldown_first > 0 AND pace.cooldown_until <= moment THEN
        -- A suspicion with a future time was recorded before the clock was set back.
        IF try_outcome = 'throttled'
           OR (pace.suspect_code <> code_hash AND pace.suspect_at BETWEEN moment - window_max AND moment) THEN
            begun_cooldown := least(cooldown_max, greatest(cooldown_first, pace.cooldown_seconds * 2));
            pace.cooldown_seconds := begun_cooldown;
            pace.cooldown_until := moment + make_interval(secs => begun_cooldown);
            pace.suspect_code := NULL;
            pace.suspect_at := NULL;
        ELSE
            pace.suspect_code := code_hash;
            pace.suspect_at := moment;
        END IF;
    ELSIF try_outcome = 'changed' THEN
        pace.unknown_answers := pace.unknown_answers + 1;
        warn := pace.unknown_answers >= 3 AND pace.answered_at IS NOT NULL
            AND coalesce(pace.warned_at <= moment - interval '1 hour', true);
        IF warn THEN
            pace.warned_at := moment;
        END IF;
    END IF;
    unknown := pace.unknown_answers;
    pace.busy_until := '-infinity';

    -- Most outcomes change nothing.
    UPDATE resolver_pace AS kept
       SET busy_until = pace.busy_until, cooldown_seconds = pace.cooldown_seconds,
           cooldown_until = pace.cooldown_until, suspect_code = pace.suspect_code, suspect_at = pace.suspect_at,
           answered_at = pace.answered_at, unknown_answers = pace.unknown_answers, warned_at = pace.warned_at
     WHERE kept.host = of_host AND kept.resolver = of_resolver AND kept IS DISTINCT FROM pace;
    RETURN NEXT;
END
$$;
