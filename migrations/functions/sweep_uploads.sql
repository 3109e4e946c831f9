-- Renews the uploads that a daemon is receiving, and removes those whose daemon or job has ended. Marks objects of ended jobs
-- that are not kept for deletion, and removes kept answers of ended jobs. A described file is renewed for 30 seconds more: its
-- submission waits that long for a database, and must not be accepted without the file.
CREATE OR REPLACE FUNCTION sweep_uploads(arriving bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE upload SET renewed_at = now() WHERE id = ANY (arriving) AND job_id IS NULL;
    DELETE FROM upload
     WHERE id IN (
           SELECT old.id FROM upload AS old LEFT JOIN job_state AS job ON job.id = old.job_id
            WHERE old.kept_at IS NULL
              AND CASE WHEN old.job_id IS NULL
                       THEN old.renewed_at < now() - CASE WHEN old.sha256 IS NULL THEN interval '10 seconds'
                                                          ELSE interval '40 seconds' END
                       ELSE job.status IN ('done', 'error') END
              FOR UPDATE OF old SKIP LOCKED);
    UPDATE media_object SET job_id = NULL, delete_at = now()
     WHERE id IN (
           SELECT old.id FROM media_object AS old JOIN job_state AS job ON job.id = old.job_id
            WHERE old.job_id IS NOT NULL AND NOT old.is_kept AND job.status IN ('done', 'error')
              FOR UPDATE OF old SKIP LOCKED);
    DELETE FROM kept_transcript
     WHERE job_id IN (SELECT old.job_id FROM kept_transcript AS old JOIN job_state AS job ON job.id = old.job_id
                       WHERE job.status IN ('done', 'error') FOR UPDATE OF old SKIP LOCKED);
    DELETE FROM kept_analysis
     WHERE job_id IN (SELECT old.job_id FROM kept_analysis AS old JOIN job_state AS job ON job.id = old.job_id
                       WHERE job.status IN ('done', 'error') FOR UPDATE OF old SKIP LOCKED);
$$;
