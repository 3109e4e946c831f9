-- no transaction
-- The jobs of one post. A list of the newest job of each post looks up later ones and counts older ones. The expression is
-- the body of post_of(); a new body needs a new index. What identifies a post: docs/adr/0039.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_of_post ON job (
    account_id,
    (coalesce(
        nullif(left(code, 100), ''),
        substring(
            coalesce(shared_post, url)
            FROM '^[^:/]+://[^/?#]+/(?:[^?#]*/)?(?:reels?|p|tv|share)/([A-Za-z0-9_-]{5,48})'))
     || coalesce('#' || substring(url FROM '[?&]img_index=([0-9]{1,3})'), '')),
    id DESC);
