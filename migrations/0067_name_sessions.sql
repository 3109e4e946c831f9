-- The browser of a session, for the list of sessions that its user sees.
ALTER TABLE web_session ADD COLUMN user_agent text;
