-- Tags of reels, and the data of results that lists show.
CREATE TABLE reel_tag (
    job_id bigint NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    tag text NOT NULL CHECK (length(tag) BETWEEN 1 AND 40),
    account_id bigint NOT NULL,
    PRIMARY KEY (job_id, tag)
);

CREATE INDEX reel_tag_of_account ON reel_tag (account_id, tag, job_id);

-- A JSON object with duration_seconds and topics; null for results of earlier releases.
ALTER TABLE job ADD COLUMN list_details text;
