-- What lists show of a reel beyond its own row, as JSON: the data of its result, its tags and its cost. Null if there is
-- nothing. The cost is null while that of a call is unknown.
CREATE OR REPLACE FUNCTION list_details_of(listed job) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT nullif(concat_ws(
        ',',
        substr(listed.list_details, 2, length(listed.list_details) - 2),
        (SELECT '"tags":' || json_agg(tag ORDER BY tag) FROM reel_tag WHERE job_id = listed.id HAVING count(*) > 0),
        (SELECT '"cost_usd":' || CASE WHEN count(*) = count(cost_usd)
                                      THEN trim_scale(sum(cost_usd))::text ELSE 'null' END
           FROM model_call WHERE job_id = listed.id HAVING count(*) > 0)), '')
$$;
