-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS search_document_stored_by ON search_document (account_id, stored_by);
