-- Estimates a call of unknown cost: its tokens at the model's highest known rate, or, if its tokens are unknown too, the
-- model's highest known cost. For a model without a known cost: 5 US dollars per million tokens, and 10 cents for a call of
-- unknown size, which is about the highest cost of an analysis, or a cent for a transcript, which is that of 90 seconds.
CREATE OR REPLACE FUNCTION estimated_cost(call model_call) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN call.prompt_tokens + call.output_tokens > 0
                THEN (call.prompt_tokens + call.output_tokens) * coalesce(seen.token_usd, 0.000005)
                WHEN call.purpose = 'transcription' THEN coalesce(seen.call_usd, 0.01)
                ELSE coalesce(seen.call_usd, 0.10) END
      FROM (SELECT) AS one
      LEFT JOIN dearest_model_call AS seen ON seen.provider = call.provider AND seen.model = call.model
$$;
