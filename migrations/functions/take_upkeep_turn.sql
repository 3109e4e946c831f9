-- Takes the turn for a maintenance task for `turn_seconds`, and returns whether `who` has it.
CREATE OR REPLACE FUNCTION take_upkeep_turn(wanted_task text, who text, turn_seconds double precision) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO upkeep_turn AS turn (task, holder, held_until)
    VALUES (wanted_task, who, now() + make_interval(secs => turn_seconds))
    ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
     WHERE turn.holder = who OR turn.held_until <= now()
        -- No turn is this long, so the clock was set back.
        OR turn.held_until > now() + make_interval(secs => turn_seconds) + interval '1 minute';
    RETURN FOUND;
END
$$;
