-- Keys as releases before 0042 have stored them: the key itself for a single link, "urls KEY LIST PLACE" for the links of a
-- list, with hashes of the key and of the list. To be dropped, with idempotency_key, by the next release.
CREATE OR REPLACE FUNCTION find_earlier_keys(owner bigint, wanted_key text, moment timestamptz)
RETURNS TABLE (request_hash text, "position" integer, job_id bigint)
LANGUAGE sql STABLE AS $$
    SELECT hash_of_link(job.url), 0, used.job_id
      FROM idempotency_key AS used JOIN job ON job.id = used.job_id
     WHERE used.account_id = owner AND used.key = wanted_key AND used.created_at > moment - interval '24 hours'
     UNION ALL
    -- A range of the primary key contains the stem in any collation, and more in some.
    SELECT split_part(used.key, ' ', 3), split_part(used.key, ' ', 4)::integer, used.job_id
      FROM idempotency_key AS used, (SELECT 'urls ' || hash_of_link(wanted_key) || ' ') AS hashed (stem)
     WHERE used.account_id = owner AND used.key > stem AND used.key < stem || 'z' AND starts_with(used.key, stem)
       AND used.created_at > moment - interval '24 hours'
$$;
