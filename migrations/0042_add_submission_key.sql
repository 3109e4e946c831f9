-- The keys of a list were texts "urls KEY LIST PLACE", made of hashes, and what conflicts with them was found by ranges of
-- text. Now a key's parts are columns. idempotency_key stays, and is read, for the keys that releases before this one have
-- stored: they are valid for a day. The next release drops it.

-- A submission under an Idempotency-Key of the caller. Valid for a day, and while its job exists.
CREATE TABLE submission_key (
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    -- Of the link in its list, from 0; 0 for a single link.
    position integer NOT NULL CHECK (position >= 0),
    -- Of the link or of the whole list, see hash_of_link(). One key means one request.
    request_hash text NOT NULL,
    -- Checked at the end of the transaction: jobs are inserted together, after the keys.
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key, position)
);
CREATE INDEX submission_key_of_job ON submission_key (job_id);
CREATE INDEX submission_key_created ON submission_key (account_id, created_at);
