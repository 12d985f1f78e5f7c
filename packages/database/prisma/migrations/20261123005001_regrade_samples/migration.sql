-- CreateTable
CREATE TABLE "regrade_samples" (
    "sample_submission_id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "rubric_version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "regrade_samples_pkey" PRIMARY KEY ("sample_submission_id")
);

-- CreateIndex
CREATE INDEX "regrade_samples_exam_id_idx" ON "regrade_samples"("exam_id");

alter table regrade_samples enable row level security;
alter table regrade_samples force row level security;
create policy one_institute on regrade_samples
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
