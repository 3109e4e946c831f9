-- Makes jobs in line claimable without a permit. Called when every resolver is disabled, such as a session that the platform
-- has refused: an attempt then asks none, and names the cause. Also called by leave_other_lines(). A bounded number at a time.
CREATE OR REPLACE FUNCTION leave_line(of_host text) RETURNS void
LANGUAGE sql AS $$
    UPDATE job SET waits_for = NULL
     WHERE job.id = ANY (ARRAY(
           SELECT waiting.id FROM job AS waiting
            WHERE waiting.status = 'pending' AND waiting.waits_for = of_host AND waiting.waits_for <> 'time'
            LIMIT 100
              FOR UPDATE SKIP LOCKED))
$$;
