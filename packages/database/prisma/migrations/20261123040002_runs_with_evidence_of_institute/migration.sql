-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_with_evidence_of_institute" ON "runs"("institute_id", "evidence_since") WHERE (evidence_since IS NOT NULL);
