-- Sum of the estimates of this month's calls of unknown cost. Calls in progress are not counted yet.
CREATE OR REPLACE FUNCTION estimated_this_month(payer bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(estimated_cost(call)), 0) FROM model_call AS call
     WHERE call.account_id = payer AND call.called_at >= month_begin(now())
       AND call.cost_usd IS NULL AND NOT call.by_operator AND NOT is_under_way(call)
$$;
