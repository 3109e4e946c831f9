-- The tokens in the bucket of an account's submissions, at most `rate_limit`, which is also its refill per minute.
CREATE OR REPLACE FUNCTION tokens_at(owner account, moment timestamptz, rate_limit integer) RETURNS double precision
LANGUAGE sql STABLE AS $$
    SELECT least(rate_limit, coalesce(
        owner.bucket_tokens + greatest(0, date_part('epoch', moment - owner.bucket_at)) * rate_limit / 60, rate_limit))
$$;
