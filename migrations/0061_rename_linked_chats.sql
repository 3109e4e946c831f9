-- The chats that are linked to accounts were called tied. Daemons of the last release use the view with the earlier names.
ALTER TABLE tied_chat RENAME TO linked_chat;
ALTER TABLE linked_chat RENAME COLUMN tied_at TO linked_at;
ALTER INDEX tied_chat_of_account RENAME TO linked_chat_of_account;

CREATE VIEW tied_chat AS
    SELECT id, chat_id, account_id, kind, name, linked_at AS tied_at FROM linked_chat;
