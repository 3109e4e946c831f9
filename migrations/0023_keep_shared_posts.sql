-- The post that a share link leads to costs a request to the platform, so it is asked for once: later attempts of the
-- same job read it here.

ALTER TABLE job
    -- The link of the post. Null: not known yet, or the job's link is that of a post.
    ADD COLUMN shared_post text;
