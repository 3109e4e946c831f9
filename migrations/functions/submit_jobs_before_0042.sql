-- The signature that daemons of the previous release call.
--   repeat_keys: the client's key, or "urls KEY LIST PLACE" for a link of a list, with hashes of the key and of the list
--   rival_keys: the client's key of a list
CREATE OR REPLACE FUNCTION submit_jobs(
    callers bigint[], links text[], fresh_wishes boolean[], repeat_keys text[], money_costs boolean[],
    webhook_urls text[], rival_keys text[], rival_stems text[], own_stems text[],
    rate_default integer, concurrent_default integer)
RETURNS TABLE (
    number integer, outcome text, job_id bigint, job_status job_status, job_limit integer,
    rate_limit integer, rate_remaining integer, rate_reset integer, retry_after integer,
    monthly_budget_usd numeric)
LANGUAGE sql AS $$
    WITH parts AS MATERIALIZED (
        SELECT array_agg(coalesce(rival_key, repeat_key) ORDER BY place) AS keys,
               array_agg(CASE WHEN rival_key IS NOT NULL THEN split_part(repeat_key, ' ', 3) END ORDER BY place)
                   AS hashes,
               array_agg(CASE WHEN rival_key IS NOT NULL THEN split_part(repeat_key, ' ', 4)::integer ELSE 0 END
                         ORDER BY place) AS positions
          FROM unnest(repeat_keys, rival_keys) WITH ORDINALITY AS sent (repeat_key, rival_key, place)),
    decided AS MATERIALIZED (
        SELECT answer.*
          FROM parts, submit_jobs(
               callers, links, fresh_wishes, money_costs, webhook_urls, parts.keys, parts.hashes, parts.positions,
               rate_default, concurrent_default) AS answer)
    SELECT sent.place, coalesce(decided.outcome, 'account_busy'), decided.job_id, decided.job_status, decided.job_limit,
           decided.rate_limit, floor(decided.tokens)::integer,
           ceil((decided.rate_limit - decided.tokens) * 60 / decided.rate_limit)::integer, decided.retry_after,
           decided.monthly_budget_usd
      FROM generate_series(1, cardinality(callers)) AS sent (place) LEFT JOIN decided ON decided.number = sent.place
$$;

-- The signature that the readiness check of the previous release calls.
CREATE OR REPLACE FUNCTION submit_jobs(
    callers bigint[], links text[], fresh_wishes boolean[], repeat_keys text[], money_costs boolean[],
    webhook_urls text[], rate_default integer, concurrent_default integer)
RETURNS TABLE (
    number integer, outcome text, job_id bigint, job_status job_status, job_limit integer,
    rate_limit integer, rate_remaining integer, rate_reset integer, retry_after integer,
    monthly_budget_usd numeric)
LANGUAGE sql AS $$
    SELECT * FROM submit_jobs(
        callers, links, fresh_wishes, repeat_keys, money_costs, webhook_urls,
        array_fill(NULL::text, ARRAY[cardinality(callers)]), array_fill(''::text, ARRAY[cardinality(callers)]),
        array_fill(NULL::text, ARRAY[cardinality(callers)]), rate_default, concurrent_default)
$$;
