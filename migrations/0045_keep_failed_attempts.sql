-- Why an attempt failed was only in the log of the daemon that made it.

-- One entry for each attempt that was spent without a result, the oldest first: attempt, at, worker, step, cause (a code)
-- and detail, which is for operators only.
ALTER TABLE job ADD COLUMN failed_attempts jsonb NOT NULL DEFAULT '[]';
