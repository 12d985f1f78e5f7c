-- DropIndex
DROP INDEX "runs_finished_copy";

-- DropIndex
DROP INDEX "runs_finished_typed";

-- DropIndex
DROP INDEX "submissions_exam_id_updated_at_id_idx";

-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "files_removed_at" TIMESTAMPTZ(3),
ADD COLUMN     "tidied_at" TIMESTAMPTZ(3),
ADD COLUMN     "unneeded_since" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "runs_finished_copy" ON "runs"("finished_at") WHERE (status = 'completed') AND (lane = 'copy');

-- CreateIndex
CREATE INDEX "runs_finished_typed" ON "runs"("finished_at") WHERE (status = 'completed') AND (lane = 'typed');

-- CreateIndex
CREATE INDEX "submissions_live" ON "submissions"("exam_id", "updated_at", "id") WHERE (state = 'live');

-- CreateIndex
CREATE INDEX "uploads_unneeded" ON "uploads"("unneeded_since") WHERE (unneeded_since IS NOT NULL) AND (files_removed_at IS NULL);

-- CreateIndex
CREATE INDEX "uploads_untidy" ON "uploads"("created_at") WHERE (tidied_at IS NULL);

-- The default comes after the column: what a submission took before this release is needed, and stays without a time.
ALTER TABLE "uploads" ALTER COLUMN "unneeded_since" SET DEFAULT CURRENT_TIMESTAMP;
SELECT set_config('app.across_institutes', 'on', true);
UPDATE "uploads" SET "unneeded_since" = "created_at" WHERE "submission_id" IS NULL;
SELECT set_config('app.across_institutes', '', true);

-- Registrations are touched last, at commit: a replacement locks its candidate before the submission that it replaces,
-- while a worker that records for that submission touches the registration after it. In the old order the two could
-- wait for each other.
DROP TRIGGER "touch_registrations" ON "candidates";
CREATE CONSTRAINT TRIGGER "touch_registrations" AFTER UPDATE ON "candidates"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION touch_registrations_of_candidate();
