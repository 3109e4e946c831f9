-- no transaction
-- What permits of a platform read: the first job of each account in line.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_in_line ON job (waits_for, account_id, turn)
    WHERE status = 'pending' AND waits_for <> 'time';
