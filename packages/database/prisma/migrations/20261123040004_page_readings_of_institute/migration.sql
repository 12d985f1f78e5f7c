-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "page_readings_institute_id_created_at_idx" ON "page_readings"("institute_id", "created_at");
