-- Stores the pictures of a result's key moments.
--   numbers, sizes: of each picture, the index of its moment and its bytes
--   jpegs: the pictures, concatenated; null: `in_object` contains them
CREATE OR REPLACE FUNCTION store_frames(
    of_account bigint, of_job bigint, numbers integer[], sizes integer[], jpegs bytea, in_object uuid)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO reel_frame (account_id, job_id, number, jpeg, object_id, object_offset, size_bytes)
    SELECT of_account, of_job, number,
           CASE WHEN in_object IS NULL THEN substr(jpegs, (ends_at - size)::integer + 1, size) END,
           in_object, ends_at - size, size
      FROM (SELECT number, size, sum(size) OVER (ORDER BY position) AS ends_at
              FROM unnest(numbers, sizes) WITH ORDINALITY AS listed (number, size, position)) AS frame;
    UPDATE media_object SET is_kept = true WHERE id = in_object;
$$;
