-- Repairs times of webhook deliveries that were written before the clock was set back.
CREATE OR REPLACE FUNCTION repair_webhook_times() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    -- Longer than the clocks of one machine differ, and short enough to wait for.
    slack CONSTANT interval := interval '1 minute';
    repaired bigint;
BEGIN
    UPDATE webhook_delivery
       SET due_at = now() + greatest(due_at - changed_at, interval '0'),
           give_up_at = now() + greatest(give_up_at - changed_at, interval '0'), changed_at = now()
     WHERE state = 'pending' AND due_at > now() AND changed_at > now() + slack;
    GET DIAGNOSTICS repaired = ROW_COUNT;
    RETURN repaired;
END
$$;
