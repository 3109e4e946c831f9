-- Renews the uploads that a daemon is receiving, and removes those whose daemon or job has ended.
CREATE OR REPLACE FUNCTION sweep_uploads(arriving bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE upload SET renewed_at = now() WHERE id = ANY (arriving) AND job_id IS NULL;
    DELETE FROM upload
     WHERE id IN (
           SELECT old.id FROM upload AS old LEFT JOIN job_state AS job ON job.id = old.job_id
            WHERE CASE WHEN old.job_id IS NULL THEN old.renewed_at < now() - interval '10 seconds'
                       ELSE job.status IN ('done', 'error') END
              FOR UPDATE OF old SKIP LOCKED);
$$;
