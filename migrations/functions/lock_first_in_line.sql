-- Locks the next job in line for a platform. Accounts take turns; within an account, the lowest turn comes first. Skips
-- accounts with an earlier job that may still request a permit: most such jobs know within milliseconds whether they need
-- one. Also skips accounts whose uploads have filled their concurrent jobs. Returns null if no job is left. The caller holds
-- the row of platform_line.
--   last_account: the account that got the last permit
--   in_hand: jobs that the claimant still holds, whatever their rows contain
CREATE OR REPLACE FUNCTION lock_first_in_line(of_host text, last_account bigint, in_hand bigint[]) RETURNS job
LANGUAGE plpgsql AS $$
DECLARE
    head job;
    after_account bigint := last_account;
    has_wrapped boolean := false;
BEGIN
    LOOP
        SELECT * INTO head FROM job
         WHERE status = 'pending' AND waits_for = of_host AND waits_for <> 'time' AND account_id > after_account
         ORDER BY waits_for, account_id, turn LIMIT 1
           FOR UPDATE SKIP LOCKED;
        IF NOT FOUND AND NOT has_wrapped THEN
            has_wrapped := true;
            after_account := 0;
            CONTINUE;
        END IF;
        IF NOT FOUND OR (has_wrapped AND head.account_id > last_account) THEN
            RETURN NULL;
        END IF;
        IF head.id <> ALL (in_hand) AND NOT is_behind_own_account(head.account_id, head.turn)
           AND NOT is_beyond_limit(head.account_id)
        THEN
            RETURN head;
        END IF;
        after_account := head.account_id;
    END LOOP;
END
$$;
