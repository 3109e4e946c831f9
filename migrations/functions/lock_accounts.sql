-- Locks the accounts of submissions. If there are several, skips those that another transaction holds. Locks in the order
-- of ids, so that two statements that lock the same accounts cannot deadlock.
CREATE OR REPLACE FUNCTION lock_accounts(callers bigint[]) RETURNS account[] LANGUAGE plpgsql AS $$
DECLARE
    locked account[];
    is_ahead boolean;
BEGIN
    IF callers[1] = ALL (callers) THEN
        SELECT array_agg(held.whole), bool_or((held.whole).bucket_at > clock_timestamp()) INTO locked, is_ahead
          FROM (SELECT account AS whole FROM account WHERE id = callers[1] FOR NO KEY UPDATE) AS held;
        IF locked IS NULL THEN
            RAISE EXCEPTION 'account % does not exist', callers[1] USING ERRCODE = 'foreign_key_violation';
        END IF;
    ELSE
        SELECT array_agg(held.whole), bool_or((held.whole).bucket_at > clock_timestamp()) INTO locked, is_ahead
          FROM (SELECT account AS whole FROM account
                 WHERE id = ANY (callers) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) AS held;
    END IF;
    IF is_ahead THEN
        -- A clock that was set back must neither take tokens away nor stop the refill until it has caught up.
        UPDATE account SET bucket_at = clock_timestamp()
         WHERE id IN (SELECT held.id FROM unnest(locked) AS held) AND bucket_at > clock_timestamp();
        RETURN lock_accounts(callers);
    END IF;
    RETURN locked;
END
$$;
