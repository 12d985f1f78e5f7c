-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "exams_of_institute" ON "exams"("institute_id", "id") WHERE (status <> 'deleted');
