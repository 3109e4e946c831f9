-- Takes tokens, one for each request, from the buckets of accounts. A bucket holds `per_minute` tokens and is refilled within a
-- minute.
--   requested: number of tokens, at least 1; fewer are granted if the bucket holds fewer
-- retry_after: seconds until the bucket holds a token, at least 1; 0 if all were granted. A deleted account has no limit.
CREATE OR REPLACE FUNCTION take_requests(accounts bigint[], per_minute integer[], requested integer[])
RETURNS TABLE (account_id bigint, granted integer, retry_after integer)
LANGUAGE plpgsql ROWS 5 AS $$
DECLARE
    demand record;
    bucket request_bucket;
    moment timestamptz;
BEGIN
    -- In the same order everywhere, so that two daemons do not wait for each other.
    FOR demand IN SELECT * FROM unnest(accounts, per_minute, requested) AS line (account, per_minute, requested)
                   ORDER BY account LOOP
        account_id := demand.account;
        INSERT INTO request_bucket SELECT id, demand.per_minute, clock_timestamp() FROM account WHERE id = demand.account
        ON CONFLICT DO NOTHING;
        SELECT * INTO bucket FROM request_bucket AS held WHERE held.account_id = demand.account FOR UPDATE;
        moment := clock_timestamp();
        -- A clock that stepped back must not take tokens away.
        bucket.tokens := least(
            demand.per_minute,
            bucket.tokens + greatest(0, date_part('epoch', moment - bucket.filled_at)) * demand.per_minute / 60);
        granted := least(demand.requested, floor(bucket.tokens));
        retry_after := CASE WHEN granted = demand.requested THEN 0
            ELSE greatest(1, ceil((1 - bucket.tokens + granted) * 60 / demand.per_minute)) END;
        UPDATE request_bucket AS held SET tokens = bucket.tokens - granted, filled_at = moment
         WHERE held.account_id = demand.account;
        RETURN NEXT;
    END LOOP;
END
$$;
