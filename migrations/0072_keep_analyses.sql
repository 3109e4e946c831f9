-- A paid answer of a model is kept until its job ends, as a transcript is: a daemon that dies between the answer and its
-- storage does not pay for the analysis again.

-- The answer is a JSON string, which may contain what `jsonb` rejects.
CREATE TABLE kept_analysis (
    job_id bigint PRIMARY KEY REFERENCES job ON DELETE CASCADE,
    provider text NOT NULL,
    model text NOT NULL,
    answer text NOT NULL
);
