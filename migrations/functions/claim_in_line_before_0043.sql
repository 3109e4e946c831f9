-- The signature that daemons of the previous release call: of_worker contains the epoch.
CREATE OR REPLACE FUNCTION claim_in_line(
    of_host text, resolvers text[], interval_seconds double precision, hourly integer,
    busy_seconds double precision, heed_cooldown boolean, of_worker text, lease_seconds double precision,
    in_hand bigint[], cooldown_wait_max double precision, cooldown_text text)
RETURNS TABLE (outcome text, wait_seconds double precision, claimed job)
LANGUAGE sql AS $$
    SELECT * FROM claim_in_line(
        of_host, resolvers, interval_seconds, hourly, busy_seconds, heed_cooldown, of_worker, 0, lease_seconds,
        in_hand, cooldown_wait_max, cooldown_text)
$$;
