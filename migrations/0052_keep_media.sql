-- Pictures of key moments are kept with a result, and on request the video. Both are stored here or in an S3-compatible store
-- (docs/adr/0041).

-- Objects of an S3-compatible store. An object is registered before it is written, and forgotten after it is deleted there.
CREATE TABLE media_object (
    -- The last part of its key. Random, so that copies of this database do not write to each other's objects.
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- The store that has it: "s3://bucket/prefix".
    store text NOT NULL CHECK (store <> ''),
    -- Null: it is to be deleted.
    job_id bigint REFERENCES job ON DELETE SET NULL,
    -- False while its job is in work: the next attempt writes another one.
    is_kept boolean NOT NULL DEFAULT false,
    registered_at timestamptz NOT NULL DEFAULT now(),
    -- When it may be deleted; later after a failure.
    delete_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX media_object_of_job ON media_object (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX media_object_unkept ON media_object (job_id) WHERE job_id IS NOT NULL AND NOT is_kept;
CREATE INDEX media_object_unwanted ON media_object (delete_at) WHERE job_id IS NULL;

-- The picture of a key moment.
CREATE TABLE reel_frame (
    account_id bigint NOT NULL,
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
    -- Index of the key moment.
    number integer NOT NULL CHECK (number >= 0),
    -- Null: it is a part of an object.
    jpeg bytea CHECK (octet_length(jpeg) BETWEEN 4 AND 40960),
    object_id uuid REFERENCES media_object ON DELETE CASCADE,
    object_offset integer NOT NULL DEFAULT 0 CHECK (object_offset >= 0),
    size_bytes integer NOT NULL CHECK (size_bytes BETWEEN 4 AND 40960),
    PRIMARY KEY (job_id, number),
    CHECK ((jpeg IS NULL) = (object_id IS NOT NULL))
);
CREATE INDEX reel_frame_of_object ON reel_frame (object_id) WHERE object_id IS NOT NULL;
-- A JPEG cannot be compressed again.
ALTER TABLE reel_frame ALTER COLUMN jpeg SET STORAGE EXTERNAL;

-- A video that is kept after the end of its job is a row of `upload`, also if it was downloaded.
ALTER TABLE upload
    -- Null: the file is removed when its job has ended.
    ADD COLUMN kept_at timestamptz,
    ADD COLUMN content_type text,
    -- The post and slide that the video belongs to; null for none.
    ADD COLUMN post_key text,
    -- Null: its bytes are rows of `upload_chunk`.
    ADD COLUMN object_id uuid REFERENCES media_object ON DELETE CASCADE;
CREATE INDEX upload_kept ON upload (kept_at DESC, id DESC) INCLUDE (size_bytes) WHERE kept_at IS NOT NULL;
CREATE INDEX upload_of_post ON upload (account_id, post_key, kept_at DESC) WHERE kept_at IS NOT NULL;
CREATE INDEX upload_of_object ON upload (object_id) WHERE object_id IS NOT NULL;
