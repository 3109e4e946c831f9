-- Lowest turn of jobs that wait for their account. Turns of claimable jobs stay below it, because they count claims.
CREATE OR REPLACE FUNCTION first_queued_turn() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT 1::bigint << 40
$$;
