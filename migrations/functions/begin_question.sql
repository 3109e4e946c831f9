-- Takes a token of the account's submissions for a question, unless a limit refuses it. Every question costs money, so the
-- monthly budget applies.
--   rate_default: as for submit_jobs()
-- outcome: 'admitted', 'rate_limited' or 'budget_spent'. tokens: left in the account's bucket.
CREATE OR REPLACE FUNCTION begin_question(caller bigint, rate_default integer)
RETURNS TABLE (outcome text, rate_limit integer, tokens double precision, retry_after integer, monthly_budget_usd numeric)
LANGUAGE plpgsql AS $$
DECLARE
    owner account := (lock_accounts(ARRAY[caller]))[1];
    moment timestamptz := clock_timestamp();
BEGIN
    rate_limit := coalesce(owner.submissions_per_minute, rate_default);
    monthly_budget_usd := owner.monthly_budget_usd;
    tokens := tokens_at(owner, moment, rate_limit);
    IF tokens < 1 THEN
        outcome := 'rate_limited';
        retry_after := greatest(1, ceil((1 - tokens) * 60 / rate_limit));
    ELSIF budget_is_spent(caller) THEN
        outcome := 'budget_spent';
        retry_after := seconds_to_next_month(moment);
    ELSE
        outcome := 'admitted';
        tokens := tokens - 1;
        UPDATE account SET bucket_tokens = tokens, bucket_at = moment WHERE id = caller;
    END IF;
    RETURN NEXT;
END
$$;
