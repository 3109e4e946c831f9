-- The signature that daemons of the previous release call: submissions have no options.
CREATE OR REPLACE FUNCTION submit_jobs(
    callers bigint[], links text[], fresh_wishes boolean[], money_costs boolean[], webhook_urls text[],
    keys text[], request_hashes text[], positions integer[], queue_wishes boolean[], uploads bigint[], rate_default integer,
    concurrent_default integer)
RETURNS TABLE (number integer, outcome text, job_id bigint, job_status job_status, job_limit integer, rate_limit integer,
    tokens double precision, retry_after integer, monthly_budget_usd numeric)
LANGUAGE sql AS $$
    SELECT * FROM submit_jobs(
        callers, links, fresh_wishes, money_costs, webhook_urls, keys, request_hashes, positions, queue_wishes, uploads,
        array_fill(NULL::text, ARRAY[cardinality(callers)]), rate_default, concurrent_default)
$$;
