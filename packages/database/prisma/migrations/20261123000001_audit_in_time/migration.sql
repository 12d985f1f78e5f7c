-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_in_time" ON "audit_entries"("institute_id", "created_at", "id");
