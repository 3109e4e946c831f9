-- A small picture of each reel, for lists. A table of its own: what reads jobs never reads past it.

CREATE TABLE reel_thumbnail (
    account_id bigint NOT NULL,
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
    -- At most 480 pixels wide.
    jpeg bytea NOT NULL CHECK (octet_length(jpeg) BETWEEN 4 AND 40960),
    PRIMARY KEY (account_id, job_id)
);
CREATE INDEX reel_thumbnail_of_job ON reel_thumbnail (job_id);

-- A JPEG cannot be compressed again: nobody shall try.
ALTER TABLE reel_thumbnail ALTER COLUMN jpeg SET STORAGE EXTERNAL;
