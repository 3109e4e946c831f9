-- Deletes some of an account's expired keys: its submissions wait for this. Later submissions delete the others, including
-- rows that another transaction holds now.
CREATE OR REPLACE FUNCTION expire_idempotency_keys(owner bigint, moment timestamptz) RETURNS void LANGUAGE sql AS $$
    DELETE FROM submission_key
     WHERE ctid = ANY (ARRAY(
           SELECT old.ctid FROM submission_key AS old
            WHERE old.account_id = owner AND old.created_at <= moment - interval '24 hours'
            ORDER BY old.created_at LIMIT 1000
              FOR UPDATE SKIP LOCKED));
    -- Keys written before the clock was set back expire a day from now, because their real age is not known.
    UPDATE submission_key SET created_at = moment
     WHERE ctid = ANY (ARRAY(
           SELECT ahead.ctid FROM submission_key AS ahead
            WHERE ahead.account_id = owner AND ahead.created_at > moment
            ORDER BY ahead.created_at LIMIT 1000
              FOR UPDATE SKIP LOCKED))
$$;
