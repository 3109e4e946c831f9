-- Queries that accounts save: a new reel that matches one is reported by webhook and chat, see docs/adr/0044.

CREATE TABLE saved_search (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL CHECK (name <> ''),
    query text NOT NULL CHECK (query <> ''),
    -- Only reels of posts by this author, in any letter case; null: all.
    author text CHECK (author <> ''),
    -- Of the score of a search.
    min_score double precision NOT NULL CHECK (min_score BETWEEN 0 AND 1),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, name)
);

-- Reels that have been reported for a search.
CREATE TABLE search_match (
    search_id bigint NOT NULL REFERENCES saved_search ON DELETE CASCADE,
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
    score double precision NOT NULL,
    matched_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (search_id, job_id)
);
CREATE INDEX search_match_of_job ON search_match (job_id);

-- New reels of accounts with saved searches that have not been compared with them yet.
CREATE TABLE search_check (
    job_id bigint PRIMARY KEY REFERENCES job ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- While a daemon compares it: the end of its lease.
    due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX search_check_due ON search_check (due_at, job_id);
CREATE INDEX search_check_of_account ON search_check (account_id);

-- A delivery that reports a match has no `job_id`: daemons of the last release do not claim it.
ALTER TABLE webhook_delivery
    ALTER COLUMN job_id DROP NOT NULL,
    ADD COLUMN matched_job_id bigint REFERENCES job ON DELETE CASCADE,
    ADD COLUMN search_id bigint REFERENCES saved_search ON DELETE CASCADE,
    ADD CONSTRAINT webhook_delivery_event CHECK (
        CASE WHEN job_id IS NULL THEN matched_job_id IS NOT NULL AND search_id IS NOT NULL
             ELSE matched_job_id IS NULL AND search_id IS NULL END) NOT VALID;
