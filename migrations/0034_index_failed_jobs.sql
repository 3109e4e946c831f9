-- no transaction
-- A list of an account's failed jobs, newest first. Without this index it reads all jobs of the account.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_failed_of_account ON job (account_id, id DESC) WHERE status = 'error';
