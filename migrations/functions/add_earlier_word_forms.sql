-- Calls add_word_forms() for the next reel that was done before 0078, the newest first. Takes one, because deletions of a reel
-- wait for this. Returns false at the end, and while another daemon is in this function.
CREATE OR REPLACE FUNCTION add_earlier_word_forms() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    reel bigint;
BEGIN
    SELECT before_job INTO reel FROM missing_word_forms FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT job_id INTO reel FROM search_document WHERE job_id < reel ORDER BY job_id DESC LIMIT 1;
    IF NOT FOUND THEN
        DELETE FROM missing_word_forms;
        RETURN false;
    END IF;
    PERFORM FROM job WHERE id = reel FOR KEY SHARE;  -- Waits for a deletion, which removes the words.
    IF add_word_forms(reel) THEN
        -- Daemons have to read their cached postings again.
        UPDATE search_document SET stored_by = DEFAULT WHERE job_id = reel;
    END IF;
    UPDATE missing_word_forms SET before_job = reel;
    RETURN true;
END
$$;
