-- Functions that link chats, resubmit jobs, repair times and share maintenance have new names (functions/*_before_0060.sql
-- keeps the earlier ones). Daemons of the last release use the tables under their names, so these keep them.
COMMENT ON TABLE tied_chat IS 'Chats that are linked to an account.';
COMMENT ON TABLE upkeep_turn IS 'The daemon that runs each maintenance task, and until when.';
