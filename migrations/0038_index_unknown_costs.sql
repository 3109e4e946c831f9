-- no transaction
-- Calls of unknown cost are few: a budget finds them by an index of their own.
CREATE INDEX CONCURRENTLY IF NOT EXISTS model_call_of_unknown_cost ON model_call (account_id, called_at)
    WHERE cost_usd IS NULL;
