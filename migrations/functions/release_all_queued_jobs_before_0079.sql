-- The signature that daemons of the previous release call.
CREATE OR REPLACE FUNCTION release_all_queued_jobs() RETURNS void LANGUAGE sql AS $$
    SELECT release_all_queued_jobs(NULL)
$$;
