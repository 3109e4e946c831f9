-- The ledger of model calls: a row is written before a paid call is made and settled when its answer is in, so that
-- no call is forgotten, whoever dies during it, and none is counted twice.

CREATE TYPE model_call_purpose AS ENUM ('analysis', 'embedding');

ALTER TABLE model_call
    DROP CONSTRAINT model_call_pkey,
    ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ADD COLUMN purpose model_call_purpose NOT NULL DEFAULT 'analysis',
    ADD COLUMN provider text NOT NULL DEFAULT 'local' CHECK (provider <> ''),
    -- The job's claim under which the call was begun: while that is current, an unsettled call is under way, and
    -- afterwards its answer was lost: what it has used will never be known.
    ADD COLUMN claim integer,
    ADD COLUMN settled_at timestamptz DEFAULT now(),
    -- Of the output.
    ADD COLUMN thinking_tokens bigint NOT NULL DEFAULT 0 CHECK (thinking_tokens >= 0),
    -- By modality, as the provider says it: [{"modality": "video", "prompt_tokens": 25200, ...}, ...].
    ADD COLUMN modalities jsonb,
    -- The provider's name of the answer, to ask it about.
    ADD COLUMN response_id text,
    -- Ours, of a call that is booked when it is over: saying it again books it once.
    ADD COLUMN booking_key text UNIQUE,
    -- A query that is embedded belongs to no job.
    ALTER COLUMN job_id DROP NOT NULL,
    ALTER COLUMN number DROP NOT NULL,
    -- Null: not known, for want of a price or of an answer. Never taken for 0.
    ALTER COLUMN cost_usd DROP NOT NULL,
    ALTER COLUMN cost_usd DROP DEFAULT,
    ADD CHECK (thinking_tokens <= output_tokens),
    ADD CHECK (purpose = 'embedding' OR (job_id IS NOT NULL AND number IS NOT NULL)),
    ADD CHECK (settled_at IS NOT NULL OR (claim IS NOT NULL AND cost_usd IS NULL));

-- The number of a job's call, so that a repeated report changes nothing. 0: this machine's own analysis.
CREATE UNIQUE INDEX model_call_of_job ON model_call (account_id, job_id, number) WHERE number IS NOT NULL;
CREATE INDEX model_call_unsettled ON model_call (job_id) WHERE settled_at IS NULL;

-- What each model has used in all, over all accounts and daemons, for metrics: kept with each call, because a scrape
-- must not add up years of calls. It outlives accounts: a counter never falls.
CREATE TABLE model_total (
    provider text NOT NULL,
    model text NOT NULL,
    PRIMARY KEY (provider, model),
    calls bigint NOT NULL,
    unpriced_calls bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    cached_prompt_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    thinking_tokens bigint NOT NULL,
    cost_usd numeric NOT NULL
);

INSERT INTO model_total
SELECT provider, model, count(*), count(*) FILTER (WHERE cost_usd IS NULL),
       sum(prompt_tokens), sum(cached_prompt_tokens), sum(output_tokens), sum(thinking_tokens),
       coalesce(sum(cost_usd), 0)
  FROM model_call GROUP BY provider, model;

CREATE FUNCTION add_to_model_total() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO model_total AS total
    VALUES (NEW.provider, NEW.model, 1, (NEW.cost_usd IS NULL)::integer,
            NEW.prompt_tokens, NEW.cached_prompt_tokens, NEW.output_tokens, NEW.thinking_tokens,
            coalesce(NEW.cost_usd, 0))
    ON CONFLICT (provider, model) DO UPDATE
       SET calls = total.calls + 1,
           unpriced_calls = total.unpriced_calls + excluded.unpriced_calls,
           prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
           cached_prompt_tokens = total.cached_prompt_tokens + excluded.cached_prompt_tokens,
           output_tokens = total.output_tokens + excluded.output_tokens,
           thinking_tokens = total.thinking_tokens + excluded.thinking_tokens,
           cost_usd = total.cost_usd + excluded.cost_usd;
    RETURN NULL;
END
$$;

CREATE TRIGGER model_call_inserted AFTER INSERT ON model_call
    FOR EACH ROW WHEN (NEW.settled_at IS NOT NULL) EXECUTE FUNCTION add_to_model_total();
CREATE TRIGGER model_call_settled AFTER UPDATE OF settled_at ON model_call
    FOR EACH ROW WHEN (OLD.settled_at IS NULL AND NEW.settled_at IS NOT NULL)
    EXECUTE FUNCTION add_to_model_total();

-- Calls whose answer is still expected: everything else is counted.
CREATE FUNCTION is_under_way(call model_call) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT call.settled_at IS NULL AND EXISTS (
        SELECT FROM job
         WHERE job.id = call.job_id AND job.claim = call.claim AND job.status = 'processing')
$$;
