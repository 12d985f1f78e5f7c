-- outside a transaction: the table is in use
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_with_unneeded_evidence_of_institute" ON "runs"("institute_id", "evidence_unneeded_since") WHERE (evidence_unneeded_since IS NOT NULL);
