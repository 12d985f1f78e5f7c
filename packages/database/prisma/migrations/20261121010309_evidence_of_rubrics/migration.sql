-- AlterEnum
ALTER TYPE "EvidenceKind" ADD VALUE 'rubric';

-- CreateTable
CREATE TABLE "run_rubrics" (
    "institute_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "rubric" JSONB NOT NULL,

    CONSTRAINT "run_rubrics_pkey" PRIMARY KEY ("run_id","question_id")
);

-- AddForeignKey
ALTER TABLE "run_rubrics" ADD CONSTRAINT "run_rubrics_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

alter table run_rubrics enable row level security;
alter table run_rubrics force row level security;
create policy one_institute on run_rubrics
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
