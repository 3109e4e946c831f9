-- Submissions with "queue" are accepted beyond concurrent_jobs. Such a job waits for its own account (waits_for = 'account')
-- and is outside of the index that claims read. It becomes claimable when an earlier job of the account ends, see
-- release_queued_jobs(). No host is called "account" without a domain.
--
-- The turn of a waiting job begins at first_queued_turn(), beyond all turns of claimable jobs. So the index job_active has
-- the waiting jobs of an account behind its other active ones, in the order of submission. The job gets its final turn
-- when it becomes claimable: an account that has waited for its own jobs has no advantage over others (docs/adr/0032).

ALTER TABLE account
    -- Upper bound of the jobs that wait beyond concurrent_jobs. Null: 1,000.
    ADD COLUMN queued_jobs integer CHECK (queued_jobs BETWEEN 1 AND 1000000),
    -- The daemon's default of concurrent_jobs at the account's last submission.
    ADD COLUMN default_concurrent_jobs integer CHECK (default_concurrent_jobs BETWEEN 1 AND 1000000);

-- Mean time between two permits, as of the last one from the line; for the expected starts of waiting jobs.
ALTER TABLE platform_line ADD COLUMN permit_interval_seconds double precision;
