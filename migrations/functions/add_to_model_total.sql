-- Adds a settled call to the totals, and raises the model's highest known cost.
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
    IF NEW.audio_seconds > 0 THEN
        INSERT INTO model_audio_total AS total
        VALUES (NEW.provider, NEW.model, NEW.audio_seconds)
        ON CONFLICT (provider, model) DO UPDATE
           SET audio_seconds = total.audio_seconds + excluded.audio_seconds;
    END IF;
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
