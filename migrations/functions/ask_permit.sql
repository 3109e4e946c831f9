-- Requests a permit for a job in work. The job gets none while another job is in line, or while an earlier job of its own
-- account has no permit: it then has to join the line. Parameters as for ask_resolver_turn().
-- outcome: that of ask_resolver_turn(), or 'in_line', also if the claim has ended.
CREATE OR REPLACE FUNCTION ask_permit(
    of_job bigint, of_claim integer, of_host text, of_resolver text, interval_seconds double precision,
    hourly integer, busy_seconds double precision, heed_cooldown boolean)
RETURNS TABLE (outcome text, wait_seconds double precision)
LANGUAGE plpgsql AS $$
BEGIN
    wait_seconds := 0;
    outcome := 'in_line';
    -- Checked without a lock first: most jobs that have to join the line are refused here.
    IF EXISTS (SELECT FROM job WHERE status = 'pending' AND waits_for = of_host AND waits_for <> 'time') THEN
        RETURN NEXT;
        RETURN;
    END IF;
    INSERT INTO platform_line (host) VALUES (of_host) ON CONFLICT DO NOTHING;
    PERFORM FROM platform_line WHERE host = of_host FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM job WHERE status = 'pending' AND waits_for = of_host AND waits_for <> 'time')
       AND NOT (SELECT is_behind_own_account(account_id, turn) FROM job
                 WHERE id = of_job AND claim = of_claim AND status = 'processing') THEN
        SELECT asked.outcome, asked.wait_seconds INTO outcome, wait_seconds
          FROM ask_resolver_turn(
              of_host, of_resolver, interval_seconds, hourly, busy_seconds, heed_cooldown) AS asked;
        IF outcome = 'now' THEN
            UPDATE job SET permit = of_resolver WHERE id = of_job AND claim = of_claim AND status = 'processing';
        END IF;
    END IF;
    RETURN NEXT;
END
$$;
