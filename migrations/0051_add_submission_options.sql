-- A submission may ask for the language of its result, say what to pay attention to, and give a schema of its own. The
-- options are kept with the job, because any daemon may do the work, at any later time.

ALTER TABLE job
    -- As analysis_options_in() reads them; null without options. Not jsonb, which would lose the order of a schema's members.
    ADD COLUMN options json COMPRESSION lz4,
    -- The answer to the schema, valid against it.
    ADD COLUMN extract json COMPRESSION lz4,
    -- Why there is no such answer: a sentence for the caller.
    ADD COLUMN extract_error text;

-- Rows from before have neither.
ALTER TABLE job ADD CONSTRAINT job_has_one_answer_to_schema CHECK (
    extract IS NULL AND extract_error IS NULL OR status = 'done' AND (extract IS NULL) <> (extract_error IS NULL)) NOT VALID;
