-- Questions about reels: their calls belong to an account, and to no job. Calls made before keep their purpose.
--
-- The constraint is checked for new rows only: those from before satisfy it, because they satisfy the stricter one that it
-- replaces.

ALTER TYPE model_call_purpose ADD VALUE IF NOT EXISTS 'ask';
ALTER TABLE model_call ADD CONSTRAINT model_call_of_analysis
    CHECK (purpose <> 'analysis' OR (job_id IS NOT NULL AND number IS NOT NULL)) NOT VALID;
DO $$
DECLARE
    replaced text;
BEGIN
    SELECT conname INTO STRICT replaced FROM pg_constraint
     WHERE conrelid = 'model_call'::regclass AND contype = 'c'
       AND pg_get_constraintdef(oid) LIKE '%purpose = ''embedding''%';
    EXECUTE format('ALTER TABLE model_call DROP CONSTRAINT %I', replaced);
END
$$;
