-- A job calls a speech server once, over all its attempts: the answer is kept until the job ends, so that a later attempt does
-- not pay again. In a file of its own: a submission locks job before it reads model_call, which the file before alters.

-- The answer is JSON text, which may contain what `jsonb` rejects.
CREATE TABLE kept_transcript (
    job_id bigint PRIMARY KEY REFERENCES job ON DELETE CASCADE,
    provider text NOT NULL,
    model text NOT NULL,
    answer text NOT NULL
);
