-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "page_readings_created_at_idx" ON "page_readings"("created_at");
