-- Repairs times of jobs that were written before the clock was set back.
CREATE OR REPLACE FUNCTION repair_job_times() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    -- Longer than the clocks of one machine differ, and short enough to wait for.
    slack CONSTANT interval := interval '1 minute';
    -- Maximum lease of any daemon.
    lease_max CONSTANT interval := interval '1 hour';
    repaired bigint;
    more bigint;
BEGIN
    -- A pending job was delayed when it last changed: the rest of its delay begins now.
    UPDATE job
       SET run_at = now() + greatest(run_at - changed_at, interval '0'), changed_at = now()
     WHERE status = 'pending' AND waits_for = 'time' AND run_at > now() AND changed_at > now() + slack;
    GET DIAGNOSTICS repaired = ROW_COUNT;
    -- A running daemon renews its lease, which repairs it. The length of another daemon's lease is not known, so the
    -- maximum is used.
    UPDATE job
       SET lease_until = now() + least(
               lease_max, CASE WHEN changed_at > now() + slack THEN lease_until - changed_at END),
           changed_at = least(changed_at, now())
     WHERE status = 'processing' AND lease_until > now()
       AND (lease_until > now() + lease_max + slack OR changed_at > now() + slack);
    GET DIAGNOSTICS more = ROW_COUNT;
    RETURN repaired + more;
END
$$;
