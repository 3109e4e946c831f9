-- One embedder in force per database, calls of embedders as rows before they are made, and what a monthly budget counts.

-- What calls of each model have cost at most, for estimates: a call, and a token of one. First, because it reads a month of
-- calls, and what follows locks their table.
CREATE TABLE dearest_model_call (
    provider text NOT NULL,
    model text NOT NULL,
    PRIMARY KEY (provider, model),
    call_usd numeric NOT NULL,
    token_usd numeric NOT NULL
);

INSERT INTO dearest_model_call
SELECT provider, model, max(cost_usd),
       coalesce(max(cost_usd / nullif(prompt_tokens + output_tokens, 0)), 0)
  FROM model_call WHERE cost_usd IS NOT NULL AND called_at >= month_begin(now())
 GROUP BY provider, model;

-- Embedders by the name of their vectors. The highest generation is in force: its daemons make vectors, and replace those
-- of all other names; daemons with another embedder make none. A name that is new here takes over when a daemon starts with
-- it; one that was in force before does so only when the operator says so: `reelsd embedder use`. So no two daemons can
-- replace each other's vectors in turn.
CREATE TABLE embedder_generation (
    generation bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> ''),
    in_force_since timestamptz NOT NULL DEFAULT now()
);

-- Claims only ever grow: each claim of a reel for embedding takes the next number, and so does each end of one. A vector is
-- stored only under the number that it was claimed with.
ALTER TABLE search_document ADD COLUMN embed_claim bigint NOT NULL DEFAULT 0;

-- Daemons of the previous release know neither generations nor claims. Where such a daemon has another embedder, it must not
-- take vectors of the one in force. To be dropped by the next release.
CREATE FUNCTION keep_vector_in_force() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.embedder = (SELECT name FROM embedder_generation ORDER BY generation DESC LIMIT 1) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER search_document_keeps_vector BEFORE UPDATE OF embed_after ON search_document
    FOR EACH ROW WHEN (OLD.embedder IS NOT NULL AND NEW.embed_claim = OLD.embed_claim)
    EXECUTE FUNCTION keep_vector_in_force();

-- True for vectors that are made again because the operator chose another embedder: shown in the account's usage, and no
-- part of what its budget counts.
ALTER TABLE model_call ADD COLUMN by_operator boolean NOT NULL DEFAULT false;

-- As before, for calls of jobs. An embedding has no claim (0) and is under way for three minutes at most: it is given two.
CREATE OR REPLACE FUNCTION is_under_way(call model_call) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT call.settled_at IS NULL AND CASE call.purpose
        WHEN 'embedding' THEN call.called_at > now() - interval '3 minutes'
        ELSE EXISTS (
            SELECT FROM job
             WHERE job.id = call.job_id AND job.claim = call.claim AND job.status = 'processing')
        END
$$;

-- As before, and notes what is the dearest.
CREATE OR REPLACE FUNCTION add_to_model_total() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF NEW.cost_usd IS NOT NULL THEN
        INSERT INTO dearest_model_call AS seen
        VALUES (NEW.provider, NEW.model, NEW.cost_usd,
                coalesce(NEW.cost_usd / nullif(NEW.prompt_tokens + NEW.output_tokens, 0), 0))
        ON CONFLICT (provider, model) DO UPDATE
           SET call_usd = greatest(seen.call_usd, excluded.call_usd),
               token_usd = greatest(seen.token_usd, excluded.token_usd)
         WHERE excluded.call_usd > seen.call_usd OR excluded.token_usd > seen.token_usd;
    END IF;
    RETURN NULL;
END
$$;

-- What a call of unknown cost counts as: its tokens at the dearest rate that the model has ever had here, or, where its
-- tokens are not known either, as the model's dearest call. A model that never had a known cost counts 5 US dollars a
-- million tokens, and 10 cents for a call of unknown size: about the dearest that an analysis costs.
CREATE FUNCTION estimated_cost(call model_call) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN call.prompt_tokens + call.output_tokens > 0
                THEN (call.prompt_tokens + call.output_tokens) * coalesce(seen.token_usd, 0.000005)
                ELSE coalesce(seen.call_usd, 0.10) END
      FROM (SELECT) AS one
      LEFT JOIN dearest_model_call AS seen ON seen.provider = call.provider AND seen.model = call.model
$$;

-- What unknown costs of this month count as. Calls under way are not counted yet.
CREATE FUNCTION estimated_this_month(payer bigint) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(estimated_cost(call)), 0) FROM model_call AS call
     WHERE call.account_id = payer AND call.called_at >= month_begin(now())
       AND call.cost_usd IS NULL AND NOT call.by_operator AND NOT is_under_way(call)
$$;

-- Whether this month's calls have reached the account's budget. An account without one may spend what it likes.
CREATE FUNCTION budget_is_spent(payer bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((
        SELECT (SELECT coalesce(sum(cost_usd), 0) FROM model_call
                 WHERE account_id = account.id AND called_at >= month_begin(now()) AND NOT by_operator)
               + estimated_this_month(account.id) >= account.monthly_budget_usd
          FROM account WHERE account.id = payer AND account.monthly_budget_usd IS NOT NULL), false)
$$;
