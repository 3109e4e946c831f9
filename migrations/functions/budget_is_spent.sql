-- Whether this month's calls have reached the account's budget. False for an account without a budget.
CREATE OR REPLACE FUNCTION budget_is_spent(payer bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((
        SELECT (SELECT coalesce(sum(cost_usd), 0) FROM model_call
                 WHERE account_id = account.id AND called_at >= month_begin(now()) AND NOT by_operator)
               + estimated_this_month(account.id) >= account.monthly_budget_usd
          FROM account WHERE account.id = payer AND account.monthly_budget_usd IS NOT NULL), false)
$$;
