-- no transaction
-- Replaces job_active: submissions also read the last turn of an account from it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_active_by_turn ON job (account_id, turn)
    WHERE status IN ('pending', 'processing');
