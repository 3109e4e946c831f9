-- They would cost each submission as much as the indexes that replace them. Daemons of the last release read all active jobs
-- for a claim until they stop.
DROP INDEX job_due;
DROP INDEX job_active;
ALTER INDEX job_active_by_turn RENAME TO job_active;
