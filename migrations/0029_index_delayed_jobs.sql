-- no transaction
-- Jobs that become ready at a time.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_delayed ON job (run_at) WHERE status = 'pending' AND waits_for = 'time';
