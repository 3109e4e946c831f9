-- The transaction that indexed a reel for the search. Daemons cache postings of an account, and detect new reels by the
-- transactions that were still running when they read them. 0: indexed before this column existed.
ALTER TABLE search_document ADD COLUMN stored_by xid8 NOT NULL DEFAULT '0';
ALTER TABLE search_document ALTER COLUMN stored_by SET DEFAULT pg_current_xact_id();
