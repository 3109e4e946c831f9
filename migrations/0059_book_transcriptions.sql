-- Calls of speech servers are paid by the length of the sound. A job makes one, over all its attempts: its answer is kept until
-- the job ends, so that a later attempt does not pay again.

ALTER TYPE model_call_purpose ADD VALUE IF NOT EXISTS 'transcription';
ALTER TABLE model_call ADD COLUMN audio_seconds numeric NOT NULL DEFAULT 0;

-- As `model_total`, whose columns the last release counts.
CREATE TABLE model_audio_total (
    provider text NOT NULL,
    model text NOT NULL,
    PRIMARY KEY (provider, model),
    audio_seconds numeric NOT NULL
);

-- The answer of a speech server: JSON text, which may contain what `jsonb` rejects.
CREATE TABLE kept_transcript (
    job_id bigint PRIMARY KEY REFERENCES job ON DELETE CASCADE,
    provider text NOT NULL,
    model text NOT NULL,
    answer text NOT NULL
);
