-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_of_person" ON "audit_entries"("institute_id", "key_id", "created_at", "id");
