-- The name that daemons of the previous release call.
CREATE OR REPLACE FUNCTION stop_leavers(who text, turn_seconds double precision, most integer) RETURNS bigint
LANGUAGE sql AS $$
    SELECT delete_unfinished_of_leaving(who, turn_seconds, most)
$$;
