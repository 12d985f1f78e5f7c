-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "reviews_of_question" ON "reviews"("institute_id", "question_id", "edited_at");
