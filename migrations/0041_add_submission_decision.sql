-- The parts that submit_jobs() is divided into hand each other decisions of this type. From here on, functions are files of
-- migrations/functions/.

CREATE TYPE submission_decision AS (
    number integer,
    outcome text,
    job_id bigint,
    job_status job_status,
    job_limit integer,
    rate_limit integer,
    retry_after integer,
    monthly_budget_usd numeric,
    account_id bigint,
    -- Of an admitted job; else null.
    turn bigint,
    -- Of the account, after this decision: what its bucket holds, and the bound of its active jobs.
    tokens double precision,
    active bigint
);

-- Signatures that neither this release nor the last one calls.
DROP FUNCTION submit_job(bigint, text, boolean, text, boolean, integer, integer);
DROP FUNCTION submit_jobs(bigint[], text[], boolean[], text[], boolean[], integer, integer);
DROP FUNCTION note_resolver_try(text, text, text, double precision, double precision);
