-- no transaction
-- Deliveries of matches, which a deleted reel takes along. They are few.
CREATE INDEX CONCURRENTLY IF NOT EXISTS webhook_delivery_of_match ON webhook_delivery (matched_job_id, search_id)
    WHERE matched_job_id IS NOT NULL;
