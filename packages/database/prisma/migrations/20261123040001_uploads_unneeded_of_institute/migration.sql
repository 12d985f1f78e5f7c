-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "uploads_unneeded_of_institute" ON "uploads"("institute_id", "unneeded_since") WHERE ((unneeded_since IS NOT NULL) AND (files_removed_at IS NULL));
