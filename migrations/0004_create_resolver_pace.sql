-- How often the platform may be asked, and which of its ways in have to be left alone for a while. One row for
-- each way, shared by all daemons, so that more of them do not ask more often, and so that a restart does not
-- forget that the platform has asked to be left alone.

CREATE TABLE resolver_pace (
    host text NOT NULL,
    resolver text NOT NULL,
    PRIMARY KEY (host, resolver),

    -- Our own pace: the next try may begin at next_at, and not while another one is under way.
    next_at timestamptz NOT NULL DEFAULT '-infinity',
    busy_until timestamptz NOT NULL DEFAULT '-infinity',
    -- The token bucket of tries an hour: how many were left, and when that was written. Null: full.
    hour_tokens double precision CHECK (hour_tokens >= 0),
    hour_at timestamptz,
    CHECK ((hour_tokens IS NULL) = (hour_at IS NULL)),

    -- The platform's wish. The length stays when a cool-down is over, to be doubled by the next; an answer
    -- sets it to 0.
    cooldown_seconds double precision NOT NULL DEFAULT 0 CHECK (cooldown_seconds >= 0),
    cooldown_until timestamptz NOT NULL DEFAULT '-infinity',

    -- When it last worked, and how many answers of unknown shape came since: rot.
    answered_at timestamptz,
    unknown_answers integer NOT NULL DEFAULT 0 CHECK (unknown_answers >= 0),
    warned_at timestamptz
);

-- Leave to try a resolver once, now.
--   interval_seconds: between the beginnings of two tries, already spread at random; 0: no pace of our own
--   hourly: tries an hour, at least 1
--   busy_seconds: how long a try may take; whoever died during one holds the others up no longer than that
--   heed_cooldown: whether the platform's wish counts
-- outcome: 'now', 'later' or 'cooling_down'; wait_seconds: 0 or how long to wait at least.
CREATE FUNCTION ask_resolver_turn(
    of_host text, of_resolver text, interval_seconds double precision, hourly integer,
    busy_seconds double precision, heed_cooldown boolean)
RETURNS TABLE (outcome text, wait_seconds double precision)
LANGUAGE plpgsql AS $$
DECLARE
    pace resolver_pace%ROWTYPE;
    moment timestamptz;
    tokens double precision;
BEGIN
    INSERT INTO resolver_pace (host, resolver) VALUES (of_host, of_resolver) ON CONFLICT DO NOTHING;
    SELECT * INTO pace FROM resolver_pace
     WHERE host = of_host AND resolver = of_resolver FOR NO KEY UPDATE;
    moment := clock_timestamp();
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
            -- Nobody knows when a try ends; most take a second or two.
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

-- How a try ended.
--   try_outcome: 'answered', 'rate_limited', 'changed' or 'failed'
--   cooldown_first, cooldown_max: seconds; the first cool-down, doubled each time; 0: none
-- begun_cooldown: the length of the cool-down that this begins, in seconds; null for none.
-- warn: a resolver that used to work has had nothing but answers of unknown shape, at least three, and nobody
--   has been told within the hour; unknown: how many.
CREATE FUNCTION note_resolver_try(
    of_host text, of_resolver text, try_outcome text, cooldown_first double precision,
    cooldown_max double precision)
RETURNS TABLE (begun_cooldown double precision, warn boolean, unknown integer)
LANGUAGE plpgsql AS $$
DECLARE
    pace resolver_pace%ROWTYPE;
    moment timestamptz;
BEGIN
    INSERT INTO resolver_pace (host, resolver) VALUES (of_host, of_resolver) ON CONFLICT DO NOTHING;
    SELECT * INTO pace FROM resolver_pace
     WHERE host = of_host AND resolver = of_resolver FOR NO KEY UPDATE;
    moment := clock_timestamp();
    warn := false;

    IF try_outcome = 'answered' THEN
        pace.cooldown_seconds := 0;
        pace.cooldown_until := '-infinity';
        pace.unknown_answers := 0;
        -- When it worked matters to the hour.
        IF pace.answered_at IS NULL OR pace.answered_at < moment - interval '1 minute' THEN
            pace.answered_at := moment;
        END IF;
    -- Tries that began before a cool-down and end in it are no reason to lengthen it.
    ELSIF try_outcome = 'rate_limited' AND cooldown_first > 0 AND pace.cooldown_until <= moment THEN
        begun_cooldown := least(cooldown_max, greatest(cooldown_first, pace.cooldown_seconds * 2));
        pace.cooldown_seconds := begun_cooldown;
        pace.cooldown_until := moment + make_interval(secs => begun_cooldown);
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

    -- Most answers change nothing.
    UPDATE resolver_pace AS kept
       SET busy_until = pace.busy_until, cooldown_seconds = pace.cooldown_seconds,
           cooldown_until = pace.cooldown_until, answered_at = pace.answered_at,
           unknown_answers = pace.unknown_answers, warned_at = pace.warned_at
     WHERE kept.host = of_host AND kept.resolver = of_resolver AND kept IS DISTINCT FROM pace;
    RETURN NEXT;
END
$$;
