-- The name that daemons of the previous release call.
CREATE OR REPLACE FUNCTION mend_job_times() RETURNS bigint LANGUAGE sql AS $$
    SELECT repair_job_times()
$$;
