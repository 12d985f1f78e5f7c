-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "submissions_not_graded" ON "submissions"("exam_id", "status") WHERE (state = 'live') AND (status <> 'graded');
