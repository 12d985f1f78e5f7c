-- Lists show neither deleted exams nor those of the dashboard (spec 4.2).
-- DropIndex
DROP INDEX "exams_institute_id_updated_at_id_idx";

-- AlterTable
ALTER TABLE "sections" ADD COLUMN     "sent_order" BIGINT;

-- CreateTable
CREATE TABLE "pending_rubrics" (
    "exam_id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "payload" JSONB NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 1,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pending_rubrics_pkey" PRIMARY KEY ("exam_id")
);

-- CreateIndex
CREATE INDEX "pending_rubrics_next_try_at_idx" ON "pending_rubrics"("next_try_at");

-- CreateIndex
CREATE INDEX "exams_listed" ON "exams"("institute_id", "updated_at", "id") WHERE (source = 'api') AND (status <> 'deleted');

-- AddForeignKey
ALTER TABLE "pending_rubrics" ADD CONSTRAINT "pending_rubrics_exam_id_fkey" FOREIGN KEY ("exam_id") REFERENCES "exams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A tenant's rows like any other; core's tick looks for those that are due, of all institutes.
alter table pending_rubrics enable row level security;
alter table pending_rubrics force row level security;
create policy one_institute on pending_rubrics
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
create policy across_institutes on pending_rubrics using (current_setting('app.across_institutes', true) = 'on');
