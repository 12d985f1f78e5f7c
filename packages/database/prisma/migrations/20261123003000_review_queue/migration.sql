-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "submissions_to_review" ON "submissions"("institute_id", "updated_at", "id") WHERE (state = 'live') AND needs_review AND (finalized_at IS NULL);
