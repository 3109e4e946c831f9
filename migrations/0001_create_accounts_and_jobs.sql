-- The whole queue is one table: a row is the job and the reel. It holds nothing that cannot be true
-- together: the CHECK constraints tie each status to the columns that it needs, so that no bug in the
-- daemon can leave a `done` without a result or a `processing` that nobody will ever rescue.
-- Accounts own everything, so each index that serves a caller leads with account_id.

CREATE TYPE job_status AS ENUM ('pending', 'processing', 'done', 'error');

CREATE TYPE job_error_code AS ENUM (
    'unavailable', 'rate_limited', 'model_failed', 'unsupported_format', 'storage_error',
    'video_too_long', 'download_failed', 'internal');

CREATE TABLE account (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    is_admin boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Null means the daemon's default.
    submissions_per_minute integer CHECK (submissions_per_minute BETWEEN 1 AND 1000000),
    concurrent_jobs integer CHECK (concurrent_jobs BETWEEN 1 AND 1000000),
    requests_per_minute integer CHECK (requests_per_minute BETWEEN 1 AND 10000000),
    -- The token bucket of submissions: how many were left, and when that was written. Null: full.
    bucket_tokens double precision CHECK (bucket_tokens >= 0),
    bucket_at timestamptz,
    CHECK ((bucket_tokens IS NULL) = (bucket_at IS NULL))
);
CREATE UNIQUE INDEX account_email ON account (lower(email));

CREATE TABLE api_token (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- SHA-256 of the token: the token itself is shown once and kept nowhere.
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    -- The first characters, so that people can tell their tokens apart.
    prefix text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
-- A name can be used again once its token is revoked.
CREATE UNIQUE INDEX api_token_name ON api_token (account_id, name) WHERE revoked_at IS NULL;

CREATE TABLE job (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
    status job_status NOT NULL DEFAULT 'pending',
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,

    -- Due from here on; moved into the future by a retry.
    run_at timestamptz NOT NULL DEFAULT now(),
    -- Attempts that count: a hand-back at shutdown takes one away again.
    attempt smallint NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    -- Claims only ever grow. A report names the claim that it belongs to, so that a worker which comes
    -- back late can never overwrite what a later one does.
    claim integer NOT NULL DEFAULT 0 CHECK (claim >= attempt),
    lease_until timestamptz,
    worker text,

    -- As it is sent: text, not taken apart; lz4 because it is read far more often than written.
    result json COMPRESSION lz4,
    error_code job_error_code,
    error text,

    CHECK ((status = 'processing') = (lease_until IS NOT NULL)),
    CHECK ((status = 'processing') = (worker IS NOT NULL)),
    CHECK ((status = 'done') = (result IS NOT NULL)),
    CHECK ((status = 'error') = (error_code IS NOT NULL)),
    CHECK ((status = 'error') = (error IS NOT NULL)),
    CHECK ((status IN ('done', 'error')) = (finished_at IS NOT NULL)),
    CHECK (started_at IS NOT NULL OR status = 'pending' OR status = 'error')
);
CREATE INDEX job_of_account ON job (account_id, id DESC);
CREATE INDEX job_active ON job (account_id) WHERE status IN ('pending', 'processing');
CREATE INDEX job_due ON job (run_at, id) WHERE status = 'pending';
CREATE INDEX job_leased ON job (lease_until) WHERE status = 'processing';

-- Admission and insert in one step. The account's row is locked first, so that requests that arrive at
-- the same moment, on whatever instance, are admitted one after the other and never one too many.
-- A refusal writes nothing and so costs nothing.
--   outcome: 'admitted', 'rate_limited' (submissions a minute) or 'too_many_jobs' (at the same time)
--   rate_limit, rate_remaining, rate_reset: of the submission bucket; reset: seconds until it is full
--   retry_after: seconds until a refused request may succeed
CREATE FUNCTION submit_job(
    caller bigint, link text, rate_default integer, concurrent_default integer)
RETURNS TABLE (
    outcome text, job_id bigint, job_limit integer,
    rate_limit integer, rate_remaining integer, rate_reset integer, retry_after integer)
LANGUAGE plpgsql AS $$
DECLARE
    owner account%ROWTYPE;
    moment timestamptz;
    tokens double precision;
    active bigint;
BEGIN
    SELECT * INTO owner FROM account WHERE id = caller FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'account % does not exist', caller USING ERRCODE = 'foreign_key_violation';
    END IF;

    moment := clock_timestamp();
    rate_limit := coalesce(owner.submissions_per_minute, rate_default);
    job_limit := coalesce(owner.concurrent_jobs, concurrent_default);
    -- A clock that stepped back must not take tokens away.
    tokens := least(
        rate_limit,
        coalesce(owner.bucket_tokens, rate_limit)
            + greatest(0, extract(epoch FROM moment - coalesce(owner.bucket_at, moment)))
              * rate_limit / 60.0);
    SELECT count(*) INTO active FROM job
     WHERE account_id = caller AND status IN ('pending', 'processing');

    IF tokens < 1 THEN
        outcome := 'rate_limited';
        retry_after := greatest(1, ceil((1 - tokens) * 60.0 / rate_limit));
    ELSIF active >= job_limit THEN
        outcome := 'too_many_jobs';
        -- Nobody knows when a job ends; a local analysis takes about so long.
        retry_after := 5;
    ELSE
        outcome := 'admitted';
        tokens := tokens - 1;
        INSERT INTO job (account_id, url) VALUES (caller, link) RETURNING id INTO job_id;
        UPDATE account SET bucket_tokens = tokens, bucket_at = moment WHERE id = caller;
    END IF;

    rate_remaining := floor(tokens);
    rate_reset := ceil((rate_limit - tokens) * 60.0 / rate_limit);
    RETURN NEXT;
END
$$;
