-- What lets a client repeat a submission safely, a list show a reel without its result, a post that was
-- analysed today not be paid for again, and an account read what it has spent.

ALTER TABLE job
    -- Analyse again even if the post has been analysed today.
    ADD COLUMN fresh boolean NOT NULL DEFAULT false,
    -- Of a done job: what lists show without reading the result.
    ADD COLUMN code text,
    ADD COLUMN author text,
    ADD COLUMN summary text,
    -- Of a done job: which post (and slide), analysed by what and when. A copy of an earlier result keeps
    -- that one's time, so that copies of copies do not live for ever.
    ADD COLUMN post_key text,
    ADD COLUMN analyzer text,
    ADD COLUMN analyzed_at timestamptz;

UPDATE job
   SET code = coalesce(result -> 'platform_meta' ->> 'code', ''),
       author = coalesce(result -> 'platform_meta' ->> 'author', ''),
       summary = coalesce(result -> 'content' ->> 'summary', ''),
       analyzed_at = finished_at
 WHERE status = 'done';

ALTER TABLE job
    ADD CHECK ((status = 'done') = (code IS NOT NULL)),
    ADD CHECK ((status = 'done') = (author IS NOT NULL)),
    ADD CHECK ((status = 'done') = (summary IS NOT NULL)),
    ADD CHECK ((status = 'done') = (analyzed_at IS NOT NULL));

CREATE INDEX job_reusable ON job (account_id, post_key, analyzer, analyzed_at DESC)
    WHERE post_key IS NOT NULL;

-- A client's name for a submission. It goes with its job, and is forgotten after a day.
CREATE TABLE idempotency_key (
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_key_of_job ON idempotency_key (job_id);
CREATE INDEX idempotency_key_created ON idempotency_key (account_id, created_at);

-- Every call of a model, paid or not. No reference to the job: what was spent outlives its reel.
CREATE TABLE model_call (
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    job_id bigint NOT NULL,
    -- Of the job's calls over all its attempts, so that a repeated report changes nothing. 0: the analysis
    -- by this machine itself, which costs nothing.
    number smallint NOT NULL CHECK (number >= 0),
    model text NOT NULL CHECK (model <> ''),
    called_at timestamptz NOT NULL DEFAULT now(),
    prompt_tokens bigint NOT NULL DEFAULT 0 CHECK (prompt_tokens >= 0),
    -- The part of the prompt that had the cheaper price.
    cached_prompt_tokens bigint NOT NULL DEFAULT 0
        CHECK (cached_prompt_tokens BETWEEN 0 AND prompt_tokens),
    -- With thinking tokens.
    output_tokens bigint NOT NULL DEFAULT 0 CHECK (output_tokens >= 0),
    -- Decimal and unrounded.
    cost_usd numeric NOT NULL DEFAULT 0 CHECK (cost_usd >= 0),
    PRIMARY KEY (account_id, job_id, number)
);
CREATE INDEX model_call_of_account ON model_call (account_id, called_at);

DROP FUNCTION submit_job(bigint, text, integer, integer);

-- Admission and insert in one step. The account's row is locked first, so that requests that arrive at
-- the same moment, on whatever instance, are admitted one after the other and never one too many.
-- A refusal writes nothing and so costs nothing; neither does a repetition under the same key.
--   outcome: 'admitted', 'repeated' (the key's job of the last 24 hours), 'key_of_another_link',
--            'rate_limited' (submissions a minute) or 'too_many_jobs' (at the same time)
--   rate_limit, rate_remaining, rate_reset: of the submission bucket; reset: seconds until it is full
--   retry_after: seconds until a refused request may succeed
CREATE FUNCTION submit_job(
    caller bigint, link text, want_fresh boolean, repeat_key text,
    rate_default integer, concurrent_default integer)
RETURNS TABLE (
    outcome text, job_id bigint, job_status job_status, job_limit integer,
    rate_limit integer, rate_remaining integer, rate_reset integer, retry_after integer)
LANGUAGE plpgsql AS $$
DECLARE
    owner account%ROWTYPE;
    earlier job%ROWTYPE;
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

    IF repeat_key IS NOT NULL THEN
        DELETE FROM idempotency_key AS old
         WHERE old.account_id = caller AND old.created_at <= moment - interval '24 hours';
        SELECT job.* INTO earlier
          FROM idempotency_key AS used JOIN job ON job.id = used.job_id
         WHERE used.account_id = caller AND used.key = repeat_key;
    END IF;

    IF earlier.id IS NOT NULL THEN
        outcome := CASE WHEN earlier.url = link THEN 'repeated' ELSE 'key_of_another_link' END;
        job_id := earlier.id;
        job_status := earlier.status;
    ELSE
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
            job_status := 'pending';
            INSERT INTO job (account_id, url, fresh) VALUES (caller, link, want_fresh)
                RETURNING id INTO job_id;
            UPDATE account SET bucket_tokens = tokens, bucket_at = moment WHERE id = caller;
            IF repeat_key IS NOT NULL THEN
                INSERT INTO idempotency_key (account_id, key, job_id, created_at)
                VALUES (caller, repeat_key, submit_job.job_id, moment);
            END IF;
        END IF;
    END IF;

    rate_remaining := floor(tokens);
    rate_reset := ceil((rate_limit - tokens) * 60.0 / rate_limit);
    RETURN NEXT;
END
$$;
