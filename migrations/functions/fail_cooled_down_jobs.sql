-- Ends jobs in line that would wait for longer than wait_max from the start of a cool-down, or from when they became due.
-- A bounded number at a time.
--   seconds_left: time until the cool-down ends
CREATE OR REPLACE FUNCTION fail_cooled_down_jobs(
    of_host text, seconds_left double precision, wait_max double precision, error_text text)
RETURNS void
LANGUAGE sql AS $$
    UPDATE job
       SET status = 'error', error_code = 'rate_limited', finished_at = now(),
           run_at = now() + make_interval(secs => seconds_left),
           error = replace(error_text, '{minutes}', ceil(seconds_left / 60)::text)
     WHERE job.id = ANY (ARRAY(
           SELECT waiting.id FROM job AS waiting
            WHERE waiting.status = 'pending' AND waiting.waits_for = of_host AND waiting.waits_for <> 'time'
              AND greatest(waiting.created_at, waiting.run_at)
                  < clock_timestamp() + make_interval(secs => seconds_left - wait_max)
            LIMIT 100
              FOR UPDATE SKIP LOCKED))
$$;
