-- What pages of reels and of costs ask for, and a limit on what an account may spend.

-- The calls of one reel, of whatever purpose.
CREATE INDEX model_call_of_reel ON model_call (job_id);

-- An account's reels by one author, newest first. Only the beginning of a name: an author is foreign text, and an
-- index takes no row of more than a third of a page.
CREATE INDEX job_of_author ON job (account_id, left(lower(author), 100), id DESC) WHERE status = 'done';
