-- no transaction
-- The index of the jobs of one post, with the new body of post_of(): of a share link, the slide is that of the post behind it.
-- Replaces job_of_post, which the next release drops. A new body needs a new index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_of_post_and_slide ON job (
    account_id,
    (coalesce(
        nullif(left(code, 100), ''),
        substring(
            coalesce(shared_post, url)
            FROM '^[^:/]+://[^/?#]+/(?:[^?#]*/)?(?:reels?|p|tv|share)/([A-Za-z0-9_-]{5,48})'))
     || coalesce('#' || coalesce(
            substring(shared_post FROM '[?&]img_index=([0-9]{1,3})'),
            substring(url FROM '[?&]img_index=([0-9]{1,3})')), '')),
    id DESC);
