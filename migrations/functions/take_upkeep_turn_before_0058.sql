-- The name that functions of the previous release call until they are replaced.
CREATE OR REPLACE FUNCTION take_upkeep_turn(wanted_task text, who text, turn_seconds double precision) RETURNS boolean
LANGUAGE sql AS $$
    SELECT take_maintenance_turn(wanted_task, who, turn_seconds)
$$;
