-- Takes requests from the buckets of accounts, which hold `per_minute` and are refilled with as many in a minute.
--   wanted: at least 1; fewer are granted if the bucket holds fewer
-- retry_after: seconds until it holds one, at least 1; 0 if all were granted. An account that was deleted has no limit.
CREATE OR REPLACE FUNCTION take_requests(accounts bigint[], per_minute integer[], wanted integer[])
RETURNS TABLE (account_id bigint, granted integer, retry_after integer)
LANGUAGE plpgsql ROWS 5 AS $$
DECLARE
    asked record;
    bucket request_bucket;
    moment timestamptz;
BEGIN
    -- In the same order everywhere, so that two daemons do not wait for each other.
    FOR asked IN SELECT * FROM unnest(accounts, per_minute, wanted) AS line (account, per_minute, wanted) ORDER BY account LOOP
        account_id := asked.account;
        INSERT INTO request_bucket SELECT id, asked.per_minute, clock_timestamp() FROM account WHERE id = asked.account
        ON CONFLICT DO NOTHING;
        SELECT * INTO bucket FROM request_bucket AS held WHERE held.account_id = asked.account FOR UPDATE;
        moment := clock_timestamp();
        -- A clock that stepped back must not take tokens away.
        bucket.tokens := least(
            asked.per_minute,
            bucket.tokens + greatest(0, date_part('epoch', moment - bucket.filled_at)) * asked.per_minute / 60);
        granted := least(asked.wanted, floor(bucket.tokens));
        retry_after := CASE WHEN granted = asked.wanted THEN 0
            ELSE greatest(1, ceil((1 - bucket.tokens + granted) * 60 / asked.per_minute)) END;
        UPDATE request_bucket AS held SET tokens = bucket.tokens - granted, filled_at = moment
         WHERE held.account_id = asked.account;
        RETURN NEXT;
    END LOOP;
END
$$;
