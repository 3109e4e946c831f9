-- Two jobs of one account for the same post at the same time both paid for an analysis: reuse knows only jobs that are done.
-- A job in work now has the post and the analyzer in its row from the moment at which it knows them.

-- Marks a job in work as the one that analyses a post.
--   may_wait: false for a job that wants an analysis of its own
-- Returns false, and changes nothing, when another job of the account is at the same post with the same analyzer: its
-- result will be this job's as well.
CREATE FUNCTION begin_post(of_job bigint, of_claim integer, key text, by_analyzer text, may_wait boolean)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    owner bigint;
BEGIN
    SELECT account_id INTO owner FROM job WHERE id = of_job;
    -- Two jobs that begin at the same moment do so one after the other.
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
