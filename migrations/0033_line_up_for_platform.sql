-- The line for the platform. Whoever asked first after an interval got the next permit, whichever job that was for; all
-- others were claimed and put off once more. Now a job that has to wait is in line, is not claimed, and whoever takes a
-- permit takes the job whose turn it is with it. See docs/adr/0032.

ALTER TABLE job
    -- Since when it has been put off for cool-downs alone. Cleared by whatever else becomes of it.
    ADD COLUMN cooling_since timestamptz,
    -- Rows change half a dozen times. While old versions stay, claims walk over them: a fifth of a large table is too many.
    SET (autovacuum_vacuum_scale_factor = 0.01);

-- Whose turn it is at a platform. Whoever hands out permits locks the row, so there is one order over all daemons.
CREATE TABLE platform_line (
    host text PRIMARY KEY,
    -- The account that got the last permit. The next one goes to the account after it that has jobs in line.
    last_account bigint NOT NULL DEFAULT 0
);

-- Whether an earlier job of the account may still ask for a permit at once: it is in work without one, or can be claimed.
-- A job that waits for its time has been in work before, and keeps nobody waiting.
CREATE FUNCTION is_behind_own_account(of_account bigint, of_turn bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM job
         WHERE account_id = of_account AND turn < of_turn AND status IN ('pending', 'processing')
           AND CASE status WHEN 'processing' THEN permit IS NULL
                           ELSE waits_for IS NULL END);
END
$$;

-- A permit for a job in work. It gets none while another job is in line, or while an earlier one of its own account has
-- none: it then has to join the line. Parameters as for ask_resolver_turn().
-- outcome: as of ask_resolver_turn(), or 'in_line', also when the claim is over.
CREATE FUNCTION ask_permit(
    of_job bigint, of_claim integer, of_host text, of_resolver text, interval_seconds double precision,
    hourly integer, busy_seconds double precision, heed_cooldown boolean)
RETURNS TABLE (outcome text, wait_seconds double precision)
LANGUAGE plpgsql AS $$
BEGIN
    wait_seconds := 0;
    outcome := 'in_line';
    -- Without a lock first: most of those that have to join the line learn of it here.
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

-- Claims the job whose turn it is at a platform, with the permit that it has waited for. Accounts take turns; of an
-- account, the lowest turn comes first.
--   resolvers: in the order in which they are asked. The first that does not cool down is the one to wait for
--   interval_seconds: on average; others as for ask_resolver_turn()
--   in_hand: jobs that the claimant still holds, whatever the table says
--   cooldown_wait_max: seconds. When all resolvers cool down for longer, jobs that would wait for longer from the beginning
--     of the cool-down, or from their submission, end with cooldown_text, some at a time
-- outcome: 'now' (claimed is set), 'empty' (no job is in line), 'later' or 'cooling_down'
-- wait_seconds: at least, before asking again.
CREATE FUNCTION claim_in_line(
    of_host text, resolvers text[], interval_seconds double precision, hourly integer,
    busy_seconds double precision, heed_cooldown boolean, of_worker text, lease_seconds double precision,
    in_hand bigint[], cooldown_wait_max double precision, cooldown_text text)
RETURNS TABLE (outcome text, wait_seconds double precision, claimed job)
LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    pace resolver_pace%ROWTYPE;
    candidate text;
    chosen text;
    first_account bigint;
    after_account bigint;
    has_wrapped boolean := false;
    head record;
    -- Of the cool-down that ends first.
    cooldown_length double precision;
BEGIN
    outcome := 'empty';
    wait_seconds := 0;
    IF NOT EXISTS (SELECT FROM job WHERE status = 'pending' AND waits_for = of_host AND waits_for <> 'time') THEN
        RETURN NEXT;
        RETURN;
    END IF;

    -- Without a lock first. Times that are further ahead than anything is put off were written before the clock was set
    -- back: ask_resolver_turn() corrects them.
    FOREACH candidate IN ARRAY resolvers LOOP
        SELECT * INTO pace FROM resolver_pace WHERE host = of_host AND resolver = candidate;
        IF heed_cooldown AND pace.cooldown_until > moment
           AND pace.cooldown_until <= moment + make_interval(secs => pace.cooldown_seconds) THEN
            IF outcome <> 'cooling_down' OR wait_seconds > extract(epoch FROM pace.cooldown_until - moment) THEN
                outcome := 'cooling_down';
                wait_seconds := extract(epoch FROM pace.cooldown_until - moment);
                cooldown_length := pace.cooldown_seconds;
            END IF;
            CONTINUE;
        END IF;
        IF pace.next_at > moment AND pace.next_at <= moment + make_interval(secs => 3 * interval_seconds) THEN
            outcome := 'later';
            wait_seconds := extract(epoch FROM pace.next_at - moment);
            RETURN NEXT;
            RETURN;
        END IF;
        chosen := candidate;
        EXIT;
    END LOOP;
    IF chosen IS NULL THEN
        IF cooldown_length > cooldown_wait_max THEN
            UPDATE job
               SET status = 'error', error_code = 'rate_limited', finished_at = now(),
                   error = replace(cooldown_text, '{minutes}', ceil(wait_seconds / 60)::text)
             WHERE job.id = ANY (ARRAY(
                   SELECT waiting.id FROM job AS waiting
                    WHERE waiting.status = 'pending' AND waiting.waits_for = of_host AND waiting.waits_for <> 'time'
                      AND waiting.created_at < moment + make_interval(secs => wait_seconds - cooldown_wait_max)
                    LIMIT 100
                      FOR UPDATE SKIP LOCKED));
        END IF;
        RETURN NEXT;
        RETURN;
    END IF;

    INSERT INTO platform_line (host) VALUES (of_host) ON CONFLICT DO NOTHING;
    SELECT last_account INTO first_account FROM platform_line WHERE host = of_host FOR NO KEY UPDATE;
    -- While every account in line has an earlier job that may still ask: most know within milliseconds whether they need to.
    outcome := 'later';
    wait_seconds := 1;
    after_account := first_account;
    LOOP
        SELECT job.id, job.account_id, job.turn INTO head FROM job
         WHERE status = 'pending' AND waits_for = of_host AND waits_for <> 'time' AND account_id > after_account
         ORDER BY waits_for, account_id, turn LIMIT 1
           FOR UPDATE SKIP LOCKED;
        IF NOT FOUND AND NOT has_wrapped THEN
            has_wrapped := true;
            after_account := 0;
            CONTINUE;
        END IF;
        IF NOT FOUND OR (has_wrapped AND head.account_id > first_account) THEN
            RETURN NEXT;
            RETURN;
        END IF;
        EXIT WHEN head.id <> ALL (in_hand) AND NOT is_behind_own_account(head.account_id, head.turn);
        after_account := head.account_id;
    END LOOP;

    SELECT asked.outcome, asked.wait_seconds INTO outcome, wait_seconds
      FROM ask_resolver_turn(
          of_host, chosen, interval_seconds * (0.5 + random()), hourly, busy_seconds, heed_cooldown) AS asked;
    IF outcome = 'now' THEN
        UPDATE platform_line SET last_account = head.account_id WHERE host = of_host;
        UPDATE job
           SET status = 'processing', attempt = attempt + 1, claim = claim + 1, worker = of_worker,
               lease_until = now() + make_interval(secs => lease_seconds),
               started_at = coalesce(started_at, now()), permit = chosen
         WHERE job.id = head.id
        RETURNING job.* INTO claimed;
        SELECT greatest(0, extract(epoch FROM next_at - clock_timestamp())) INTO wait_seconds
          FROM resolver_pace WHERE host = of_host AND resolver = chosen;
    END IF;
    RETURN NEXT;
END
$$;
