-- The name that daemons of the previous release call.
CREATE OR REPLACE FUNCTION mend_webhook_times() RETURNS bigint LANGUAGE sql AS $$
    SELECT repair_webhook_times()
$$;
