-- no transaction
-- The same for a deleted saved search.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_delivery_of_search ON webhook_delivery (search_id)
    WHERE search_id IS NOT NULL;
