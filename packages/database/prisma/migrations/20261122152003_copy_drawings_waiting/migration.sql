-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "copy_drawings_waiting" ON "copy_drawings"("institute_id", "wanted_at", "submission_id") WHERE (released_at IS NULL);
