-- Marks a job in work as the one that analyses its post.
--   may_wait: false for a job that requires its own analysis
-- Returns false and changes nothing if another job of the account is analysing the same post with the same analyzer, whose
-- result can then be reused.
CREATE OR REPLACE FUNCTION begin_post(of_job bigint, of_claim integer, key text, by_analyzer text, may_wait boolean)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
BEGIN
    SELECT account_id INTO owner FROM job WHERE id = of_job;
    -- Serializes two jobs that begin at the same moment.
    PERFORM pg_advisory_xact_lock(hashtextextended(key, owner));
    IF may_wait AND EXISTS (
        SELECT FROM job
         WHERE account_id = owner AND post_key = key AND analyzer = by_analyzer AND status = 'processing'
           AND id <> of_job) THEN
        RETURN false;
    END IF;
    UPDATE job SET post_key = key, analyzer = by_analyzer
     WHERE id = of_job AND claim = of_claim AND status = 'processing';
    RETURN true;
END
$$;
