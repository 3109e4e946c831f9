-- Identifies the post of a job within an account: its code, or until that is known the code in its link, and the slide that
-- the link names. Null if neither is known, as for an upload that is not done: no other job belongs to its post.
-- The index job_of_post_and_slide has the same expression.
CREATE OR REPLACE FUNCTION post_of(of_job job) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(
               nullif(left(of_job.code, 100), ''),
               substring(
                   coalesce(of_job.shared_post, of_job.url)
                   FROM '^[^:/]+://[^/?#]+/(?:[^?#]*/)?(?:reels?|p|tv|share)/([A-Za-z0-9_-]{5,48})'))
           || coalesce('#' || coalesce(
                  substring(of_job.shared_post FROM '[?&]img_index=([0-9]{1,3})'),
                  substring(of_job.url FROM '[?&]img_index=([0-9]{1,3})')), '')
$$;
