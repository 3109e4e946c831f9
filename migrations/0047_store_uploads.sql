-- A platform often refuses a server. A video that the caller has can be uploaded instead; any daemon may do the work, so it is
-- stored here until its job ends.

CREATE TABLE upload (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- Null while the file arrives.
    job_id bigint UNIQUE REFERENCES job ON DELETE CASCADE,
    -- The daemon that receives the file renews this time. An upload whose daemon has ended is removed.
    renewed_at timestamptz NOT NULL DEFAULT now(),
    size_bytes bigint,
    -- Hexadecimal digits in lower case.
    sha256 text,
    -- What the caller says of the post.
    caption text,
    author text,
    CHECK (job_id IS NULL OR (size_bytes IS NOT NULL AND sha256 IS NOT NULL))
);
CREATE INDEX upload_of_account ON upload (account_id);

CREATE TABLE upload_chunk (
    upload_id bigint NOT NULL REFERENCES upload ON DELETE CASCADE,
    number integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (upload_id, number)
) WITH (toast.autovacuum_vacuum_scale_factor = 0.05);
-- A video cannot be compressed again.
ALTER TABLE upload_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Whether the job's video was uploaded.
ALTER TABLE job ADD COLUMN is_upload boolean NOT NULL DEFAULT false;
