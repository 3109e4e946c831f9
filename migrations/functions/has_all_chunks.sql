-- Whether all bytes of a file are stored. Its parts are committed without waiting for the disk, so a crash of PostgreSQL may lose
-- some. A caller that commits synchronously afterwards makes those that it has seen durable. Reads sizes, not the bytes.
CREATE OR REPLACE FUNCTION has_all_chunks(of_upload bigint, size bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(octet_length(bytes)), 0) = size FROM upload_chunk WHERE upload_id = of_upload;
$$;
