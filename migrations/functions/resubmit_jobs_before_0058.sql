-- The name that daemons of the previous release call.
CREATE OR REPLACE FUNCTION resubmit_jobs(failed_ids bigint[])
RETURNS TABLE (failed bigint, anew bigint)
LANGUAGE sql AS $$
    SELECT failed_id, new_id FROM resubmit_failed_jobs(failed_ids)
$$;
