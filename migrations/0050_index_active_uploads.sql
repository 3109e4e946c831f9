-- no transaction
-- The uploads of an account that are pending or in work, in their order. A waiting upload starts before the account's links
-- that wait for the platform (docs/adr/0038).
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_active_upload ON job (account_id, turn)
    WHERE is_upload AND status IN ('pending', 'processing');
