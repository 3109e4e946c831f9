-- Estimated mean time between the starts of two of an account's pending jobs: the median duration of recent jobs, divided by
-- the account's jobs in work, or the platform's interval if the account has jobs in its line. Null if no job was done.
CREATE OR REPLACE FUNCTION seconds_between_starts(of_account bigint) RETURNS double precision LANGUAGE sql STABLE AS $$
    SELECT greatest(
        (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at))
           FROM (SELECT status, started_at, finished_at FROM job
                  WHERE status IN ('done', 'error') ORDER BY finished_at DESC, id DESC LIMIT 20) AS recent
          WHERE recent.status = 'done')
        / greatest(1, (
            SELECT count(*) FROM (
                SELECT status FROM job WHERE account_id = of_account AND status IN ('pending', 'processing')
                 ORDER BY account_id, turn LIMIT 100) AS earliest
             WHERE earliest.status = 'processing')),
        (SELECT max(line.permit_interval_seconds) FROM platform_line AS line
          WHERE (SELECT true FROM job
                  WHERE status = 'pending' AND waits_for = line.host AND waits_for <> 'time' AND account_id = of_account
                  ORDER BY waits_for, account_id, turn LIMIT 1)))
$$;
