-- Finds the submission that has used an Idempotency-Key. The account's row is locked. Returns no row if the key is free. A request
-- with another hash conflicts. A key whose job does not exist yet belongs to the same call of submit_jobs().
-- outcome: 'repeated' or 'key_of_another_link'
CREATE OR REPLACE FUNCTION find_submission(
    owner bigint, wanted_key text, wanted_hash text, wanted_position integer, moment timestamptz)
RETURNS TABLE (outcome text, job_id bigint, job_status job_status)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN used.request_hash = wanted_hash THEN 'repeated' ELSE 'key_of_another_link' END,
           used.job_id, coalesce((SELECT job.status FROM job WHERE job.id = used.job_id), 'pending')
      FROM (SELECT stored.request_hash, stored.position, stored.job_id
              FROM submission_key AS stored
             WHERE stored.account_id = owner AND stored.key = wanted_key
               AND stored.created_at > moment - interval '24 hours'
             UNION ALL
            SELECT earlier.request_hash, earlier.position, earlier.job_id
              FROM find_earlier_keys(owner, wanted_key, moment) AS earlier) AS used
     WHERE used.request_hash <> wanted_hash OR used.position = wanted_position
     ORDER BY used.request_hash = wanted_hash LIMIT 1
$$;
