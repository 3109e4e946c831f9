-- Keeps the video of a job that is done. Its file is the upload of the job, or the object `in_object`. An upload that is not
-- complete is not kept.
--   type: the file's content type; null: nothing is kept
--   key: the post and slide that the video belongs to; empty for none
CREATE OR REPLACE FUNCTION keep_video(
    of_account bigint, of_job bigint, size bigint, digest text, type text, key text, in_object uuid)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO upload (account_id, job_id, size_bytes, sha256)
    SELECT of_account, of_job, size, digest WHERE type IS NOT NULL AND in_object IS NOT NULL
        ON CONFLICT (job_id) DO UPDATE SET size_bytes = excluded.size_bytes, sha256 = excluded.sha256;
    DELETE FROM upload_chunk
     WHERE in_object IS NOT NULL AND upload_id = (SELECT id FROM upload WHERE job_id = of_job);
    UPDATE upload
       SET kept_at = now(), content_type = type, post_key = nullif(key, ''), object_id = in_object
     WHERE job_id = of_job AND type IS NOT NULL AND (in_object IS NOT NULL OR has_all_chunks(id, size_bytes));
    UPDATE media_object SET is_kept = true WHERE id = in_object;
$$;
