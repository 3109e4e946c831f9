-- What statements on other tables may read of a job: whose it is, how far it has come, and where its end is
-- delivered. The statements of domain/jobs alone use the table itself.
CREATE VIEW job_state AS
    SELECT id, account_id, claim, status, step, finished_at, webhook_url FROM job;
