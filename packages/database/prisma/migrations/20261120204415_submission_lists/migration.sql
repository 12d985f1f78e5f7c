-- DropIndex
DROP INDEX "runs_finished_copy";

-- DropIndex
DROP INDEX "runs_finished_typed";

-- CreateIndex
CREATE INDEX "runs_finished_copy" ON "runs"("finished_at") WHERE (status = 'completed') AND (lane = 'copy') AND (claimed_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "runs_finished_typed" ON "runs"("finished_at") WHERE (status = 'completed') AND (lane = 'typed') AND (claimed_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "submissions_flagged" ON "submissions"("exam_id", "updated_at", "id") WHERE ((state = 'live') AND needs_review);

-- CreateIndex
CREATE INDEX "submissions_finalized" ON "submissions"("exam_id", "updated_at", "id") WHERE (state = 'live') AND (finalized_at IS NOT NULL);
