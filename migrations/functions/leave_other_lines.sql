-- Makes jobs in line for other platforms claimable, some of each at a time: after the pace was turned off or the platform's
-- address was changed, no daemon gives them a permit. A daemon that still does lines them up again.
--   served_host: null without a pace
CREATE OR REPLACE FUNCTION leave_other_lines(served_host text) RETURNS void LANGUAGE plpgsql
-- As in submit_jobs(): the index job_in_line has the hosts in order.
SET enable_sort = off
AS $$
DECLARE
    host text := '';
BEGIN
    LOOP
        SELECT waits_for INTO host FROM job
         WHERE status = 'pending' AND waits_for > host AND waits_for <> 'time'
         ORDER BY waits_for, account_id, turn LIMIT 1;
        EXIT WHEN NOT FOUND;
        IF host <> 'account' AND host IS DISTINCT FROM served_host THEN
            PERFORM leave_line(host);
        END IF;
    END LOOP;
END
$$;
