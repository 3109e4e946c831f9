-- no transaction
-- Known costs of a month are added up from an index, without the table.
CREATE INDEX CONCURRENTLY IF NOT EXISTS model_call_of_budget ON model_call (account_id, called_at)
    INCLUDE (cost_usd, by_operator);
