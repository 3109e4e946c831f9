-- What pages of reels and of costs ask for, and a limit on what an account may spend.

-- The calls of one reel, of whatever purpose.
CREATE INDEX model_call_of_reel ON model_call (job_id);
