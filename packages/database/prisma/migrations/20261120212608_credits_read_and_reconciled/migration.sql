-- DropIndex
DROP INDEX "credit_entries_institute_id_created_at_idx";

-- CreateIndex
CREATE INDEX "credit_entries_institute_id_id_idx" ON "credit_entries"("institute_id", "id");

-- CreateIndex
CREATE INDEX "credit_entries_charged" ON "credit_entries"("institute_id", "created_at", "amount") WHERE (kind = 'charge');

-- CreateIndex
CREATE INDEX "runs_institute_id_submission_id_idx" ON "runs"("institute_id", "submission_id");
