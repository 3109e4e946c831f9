-- Claims the next job in line for a platform, together with its permit.
--   resolvers, interval_seconds: as for choose_resolver(); others as for ask_resolver_turn()
--   in_hand: jobs that the claimant still holds, whatever their rows contain
--   cooldown_wait_max: seconds. If all resolvers cool down for longer, jobs that would have to wait for longer end with
--     cooldown_text: see fail_cooled_down_jobs()
-- outcome: 'now' (claimed is set), 'empty' (no job is in line), 'later' or 'cooling_down'
-- wait_seconds: minimum time until the next request.
CREATE OR REPLACE FUNCTION claim_in_line(
    of_host text, resolvers text[], interval_seconds double precision, hourly integer,
    busy_seconds double precision, heed_cooldown boolean, of_worker text, of_epoch integer,
    lease_seconds double precision, in_hand bigint[], cooldown_wait_max double precision, cooldown_text text)
RETURNS TABLE (outcome text, wait_seconds double precision, claimed job)
LANGUAGE plpgsql AS $$
DECLARE
    choice record;
    line platform_line;
    head job;
BEGIN
    outcome := 'empty';
    wait_seconds := 0;
    IF NOT EXISTS (SELECT FROM job WHERE status = 'pending' AND waits_for = of_host AND waits_for <> 'time') THEN
        RETURN NEXT;
        RETURN;
    END IF;
    SELECT * INTO choice FROM choose_resolver(of_host, resolvers, interval_seconds, heed_cooldown);
    IF choice.chosen IS NULL THEN
        IF choice.cooldown_length > 31536000 THEN
            PERFORM leave_line(of_host);
        ELSIF choice.cooldown_length > cooldown_wait_max THEN
            PERFORM fail_cooled_down_jobs(of_host, choice.wait_seconds, cooldown_wait_max, cooldown_text);
        END IF;
        outcome := choice.outcome;
        wait_seconds := choice.wait_seconds;
        RETURN NEXT;
        RETURN;
    END IF;

    INSERT INTO platform_line (host) VALUES (of_host) ON CONFLICT DO NOTHING;
    SELECT * INTO line FROM platform_line WHERE host = of_host FOR NO KEY UPDATE;
    head := lock_first_in_line(of_host, line.last_account, in_hand);
    IF head.id IS NULL THEN
        outcome := 'later';
        wait_seconds := 1;
        RETURN NEXT;
        RETURN;
    END IF;
    SELECT asked.outcome, asked.wait_seconds INTO outcome, wait_seconds
      FROM ask_resolver_turn(
          of_host, choice.chosen, interval_seconds * (0.5 + random()), hourly, busy_seconds, heed_cooldown) AS asked;
    IF outcome = 'now' THEN
        UPDATE platform_line
           SET last_account = head.account_id,
               permit_interval_seconds = interval_seconds / (
                   SELECT count(*) FROM unnest(resolvers) AS one (name)
                    WHERE split_part(one.name, ' via ', 1) = split_part(choice.chosen, ' via ', 1))
         WHERE host = of_host;
        UPDATE job
           SET status = 'processing', attempt = attempt + 1, claim = claim + 1, worker = of_worker,
               claim_epoch = of_epoch, lease_until = now() + make_interval(secs => lease_seconds),
               started_at = coalesce(started_at, now()), permit = choice.chosen
         WHERE job.id = head.id
        RETURNING job.* INTO claimed;
        SELECT coalesce(following.wait_seconds, 0) INTO wait_seconds
          FROM choose_resolver(of_host, resolvers, interval_seconds, heed_cooldown) AS following;
    END IF;
    RETURN NEXT;
END
$$;
