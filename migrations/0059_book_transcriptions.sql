-- Calls of speech servers are paid by the length of the sound.

ALTER TYPE model_call_purpose ADD VALUE IF NOT EXISTS 'transcription';
ALTER TABLE model_call ADD COLUMN audio_seconds numeric NOT NULL DEFAULT 0;

-- As `model_total`, whose columns the last release counts.
CREATE TABLE model_audio_total (
    provider text NOT NULL,
    model text NOT NULL,
    PRIMARY KEY (provider, model),
    audio_seconds numeric NOT NULL
);
