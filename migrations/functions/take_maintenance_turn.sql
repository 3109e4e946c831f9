-- Reserves a maintenance task for one daemon during `turn_seconds`. Returns false if another daemon has reserved it.
CREATE OR REPLACE FUNCTION take_maintenance_turn(of_task text, daemon text, turn_seconds double precision) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO maintenance_turn AS turn (task, holder, held_until)
    VALUES (of_task, daemon, now() + make_interval(secs => turn_seconds))
    ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
     WHERE turn.holder = daemon OR turn.held_until <= now()
        -- No turn is this long, so the clock was set back.
        OR turn.held_until > now() + make_interval(secs => turn_seconds) + interval '1 minute';
    RETURN FOUND;
END
$$;
