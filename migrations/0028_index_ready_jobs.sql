-- no transaction
-- What claims read, in the order of turns (docs/adr/0032).
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_ready ON job (turn, id) WHERE status = 'pending' AND waits_for IS NULL;
