-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "submissions_approved" ON "submissions"("exam_id", "approved_at") WHERE (state = 'live') AND (approved_at IS NOT NULL);
