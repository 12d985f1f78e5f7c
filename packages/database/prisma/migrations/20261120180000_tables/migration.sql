-- CreateEnum
CREATE TYPE "ExamSource" AS ENUM ('api', 'dashboard');

-- CreateEnum
CREATE TYPE "ExamMode" AS ENUM ('handwritten', 'typed');

-- CreateEnum
CREATE TYPE "ExamStatus" AS ENUM ('draft', 'open', 'deleted');

-- CreateEnum
CREATE TYPE "QuestionType" AS ENUM ('mcq_single', 'mcq_multi', 'true_false', 'numeric', 'one_word', 'long_answer');

-- CreateEnum
CREATE TYPE "RubricSource" AS ENUM ('client', 'generated');

-- CreateEnum
CREATE TYPE "UploadStatus" AS ENUM ('pending', 'inspecting', 'ready', 'rejected');

-- CreateEnum
CREATE TYPE "Lane" AS ENUM ('copy', 'typed');

-- CreateEnum
CREATE TYPE "SubmissionState" AS ENUM ('live', 'replaced', 'deleted');

-- CreateEnum
CREATE TYPE "SubmissionStatus" AS ENUM ('queued', 'processing', 'reading', 'grading', 'graded', 'partially_graded', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "RunStatus" AS ENUM ('queued', 'released', 'claimed', 'completed', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "QuestionResultStatus" AS ENUM ('graded', 'failed', 'pending', 'cancelled', 'not_answered');

-- CreateEnum
CREATE TYPE "ResultSource" AS ENUM ('ai', 'auto');

-- CreateEnum
CREATE TYPE "CreditEntryKind" AS ENUM ('grant', 'reserve', 'charge', 'release');

-- CreateEnum
CREATE TYPE "RateTier" AS ENUM ('standard', 'high');

-- CreateTable
CREATE TABLE "institutes" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "api_enabled" BOOLEAN NOT NULL DEFAULT true,
    "credits_per_page" DECIMAL(14,4),
    "credits_per_answer" DECIMAL(14,4),
    "daily_copy_quota" INTEGER NOT NULL DEFAULT 2000,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "institutes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "scopes" TEXT[],
    "rate_tier" "RateTier" NOT NULL DEFAULT 'standard',
    "daily_copy_cap" INTEGER,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credit_accounts" (
    "institute_id" UUID NOT NULL,
    "balance" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "credit_limit" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "committed" DECIMAL(14,4) NOT NULL DEFAULT 0,

    CONSTRAINT "credit_accounts_pkey" PRIMARY KEY ("institute_id")
);

-- CreateTable
CREATE TABLE "credit_entries" (
    "id" BIGSERIAL NOT NULL,
    "institute_id" UUID NOT NULL,
    "kind" "CreditEntryKind" NOT NULL,
    "amount" DECIMAL(14,4) NOT NULL,
    "run_id" UUID,
    "balance_after" DECIMAL(14,4) NOT NULL,
    "committed_after" DECIMAL(14,4) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "exams" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "source" "ExamSource" NOT NULL DEFAULT 'api',
    "external_ref" TEXT,
    "title" TEXT NOT NULL,
    "mode" "ExamMode" NOT NULL,
    "status" "ExamStatus" NOT NULL,
    "conducted_on" VARCHAR(10) NOT NULL,
    "subject" TEXT,
    "level" TEXT NOT NULL,
    "board" TEXT,
    "class" TEXT,
    "instructions" TEXT,
    "answer_language" TEXT NOT NULL,
    "feedback_language" TEXT NOT NULL,
    "blind" BOOLEAN NOT NULL,
    "rubric_version" INTEGER NOT NULL DEFAULT 0,
    "total_marks" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "question_count" INTEGER NOT NULL DEFAULT 0,
    "live_submissions" INTEGER NOT NULL DEFAULT 0,
    "live_unfinalized" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "exams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sections" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "sections_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "questions" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "section_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "label_key" TEXT NOT NULL,
    "parent_label" TEXT,
    "type" "QuestionType" NOT NULL,
    "text" TEXT NOT NULL,
    "max_marks" DECIMAL(14,4) NOT NULL,
    "negative_marks" DECIMAL(30,15) NOT NULL DEFAULT 0,
    "correct_options" TEXT[],
    "answer" JSONB,
    "word_limit" INTEGER,
    "expects_diagram" BOOLEAN,
    "assess_language" BOOLEAN,
    "tags" JSONB,
    "external_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "questions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "question_options" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "question_options_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rubric_versions" (
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "source" "RubricSource" NOT NULL DEFAULT 'client',
    "rubric" JSONB,
    "model_answer" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rubric_versions_pkey" PRIMARY KEY ("question_id","version","source")
);

-- CreateTable
CREATE TABLE "candidates" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "external_id" TEXT NOT NULL,
    "name" TEXT,
    "roll_number" TEXT,
    "section_or_class" TEXT,
    "metadata" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "candidates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "registrations" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "candidate_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "registrations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "uploads" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "status" "UploadStatus" NOT NULL DEFAULT 'pending',
    "file_name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "object_key" TEXT NOT NULL,
    "sealed_key" TEXT,
    "sha256" TEXT,
    "pages" INTEGER,
    "reject_reason" TEXT,
    "inspect_delivery" INTEGER NOT NULL DEFAULT 0,
    "inspect_released_at" TIMESTAMPTZ(3),
    "inspect_openings" INTEGER NOT NULL DEFAULT 0,
    "submission_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "submissions" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "candidate_id" UUID NOT NULL,
    "upload_id" UUID,
    "state" "SubmissionState" NOT NULL DEFAULT 'live',
    "replaced_by" UUID,
    "status" "SubmissionStatus" NOT NULL,
    "lane" "Lane" NOT NULL,
    "pages" INTEGER,
    "needs_review" BOOLEAN NOT NULL DEFAULT false,
    "review_reasons" TEXT[],
    "finalized_at" TIMESTAMPTZ(3),
    "current_run_id" UUID NOT NULL,
    "attempt_count" INTEGER NOT NULL DEFAULT 1,
    "rubric_version" INTEGER,
    "questions_total" INTEGER NOT NULL,
    "questions_done" INTEGER NOT NULL DEFAULT 0,
    "quote_unit" TEXT NOT NULL,
    "quote_credits" DECIMAL(14,4) NOT NULL,
    "quote_rate_source" TEXT NOT NULL,
    "credits_charged" DECIMAL(14,4),
    "marks_revision" INTEGER NOT NULL DEFAULT 0,
    "graded_at" TIMESTAMPTZ(3),
    "error" JSONB,
    "warnings" JSONB NOT NULL,
    "metadata" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "submissions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "answers" (
    "institute_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "option_labels" TEXT[],
    "text" TEXT,

    CONSTRAINT "answers_pkey" PRIMARY KEY ("submission_id","question_id")
);

-- CreateTable
CREATE TABLE "runs" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "lane" "Lane" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "status" "RunStatus" NOT NULL,
    "queued_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "released_at" TIMESTAMPTZ(3),
    "claimed_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "delivery" INTEGER NOT NULL DEFAULT 0,
    "dead_leases" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "fence" INTEGER NOT NULL DEFAULT 0,
    "deadline_at" TIMESTAMPTZ(3),
    "price" DECIMAL(14,4) NOT NULL,
    "rubric_version" INTEGER,
    "paper" JSONB,
    "alignment" JSONB,
    "worker" TEXT,
    "grader" JSONB,
    "usage" JSONB,
    "error" JSONB,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "page_readings" (
    "institute_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "first_page" INTEGER NOT NULL,
    "pages" JSONB NOT NULL,

    CONSTRAINT "page_readings_pkey" PRIMARY KEY ("run_id","first_page")
);

-- CreateTable
CREATE TABLE "question_results" (
    "institute_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "status" "QuestionResultStatus" NOT NULL,
    "counted" BOOLEAN NOT NULL DEFAULT true,
    "awarded" DECIMAL(30,15),
    "max" DECIMAL(14,4) NOT NULL,
    "source" "ResultSource",
    "confidence" DECIMAL(5,4),
    "needs_review" BOOLEAN NOT NULL DEFAULT false,
    "review_reasons" TEXT[],
    "extracted_answer" TEXT,
    "feedback" TEXT,
    "criteria" JSONB NOT NULL,
    "annotations" JSONB NOT NULL,
    "error" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "question_results_pkey" PRIMARY KEY ("run_id","question_id")
);

-- CreateTable
CREATE TABLE "checked_copies" (
    "institute_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "marks_revision" INTEGER NOT NULL,
    "object_key" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checked_copies_pkey" PRIMARY KEY ("submission_id","marks_revision")
);

-- CreateTable
CREATE TABLE "daily_copies" (
    "institute_id" UUID NOT NULL,
    "counter_id" UUID NOT NULL,
    "day" VARCHAR(10) NOT NULL,
    "copies" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "daily_copies_pkey" PRIMARY KEY ("institute_id","counter_id","day")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_institute_id_idx" ON "api_keys"("institute_id");

-- CreateIndex
CREATE INDEX "credit_entries_institute_id_created_at_idx" ON "credit_entries"("institute_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "credit_entries_reserved" ON "credit_entries"("run_id") WHERE (kind = 'reserve');

-- CreateIndex
CREATE UNIQUE INDEX "credit_entries_settled" ON "credit_entries"("run_id") WHERE ((kind = 'charge') OR (kind = 'release'));

-- CreateIndex
CREATE INDEX "exams_institute_id_updated_at_id_idx" ON "exams"("institute_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "exams_external_ref" ON "exams"("institute_id", "source", "external_ref") WHERE (status <> 'deleted');

-- CreateIndex
CREATE UNIQUE INDEX "sections_exam_id_position_key" ON "sections"("exam_id", "position");

-- CreateIndex
CREATE INDEX "questions_exam_id_position_idx" ON "questions"("exam_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "questions_exam_id_label_key_key" ON "questions"("exam_id", "label_key");

-- CreateIndex
CREATE UNIQUE INDEX "question_options_question_id_position_key" ON "question_options"("question_id", "position");

-- CreateIndex
CREATE INDEX "rubric_versions_exam_id_version_idx" ON "rubric_versions"("exam_id", "version");

-- CreateIndex
CREATE UNIQUE INDEX "candidates_institute_id_external_id_key" ON "candidates"("institute_id", "external_id");

-- CreateIndex
CREATE INDEX "registrations_candidate_id_idx" ON "registrations"("candidate_id");

-- CreateIndex
CREATE INDEX "registrations_exam_id_updated_at_id_idx" ON "registrations"("exam_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "registrations_exam_id_candidate_id_key" ON "registrations"("exam_id", "candidate_id");

-- CreateIndex
CREATE UNIQUE INDEX "uploads_submission_id_key" ON "uploads"("submission_id");

-- CreateIndex
CREATE INDEX "uploads_institute_id_created_at_idx" ON "uploads"("institute_id", "created_at");

-- CreateIndex
CREATE INDEX "uploads_inspecting" ON "uploads"("inspect_released_at") WHERE (status = 'inspecting');

-- CreateIndex
CREATE INDEX "submissions_institute_id_updated_at_id_idx" ON "submissions"("institute_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "submissions_exam_id_updated_at_id_idx" ON "submissions"("exam_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "one_live_submission" ON "submissions"("exam_id", "candidate_id") WHERE (state = 'live');

-- CreateIndex
CREATE INDEX "runs_waiting" ON "runs"("institute_id", "lane", "queued_at", "id") WHERE (status = 'queued');

-- CreateIndex
CREATE INDEX "runs_waiting_copy" ON "runs"("institute_id", "queued_at", "id") WHERE ((status = 'queued') AND (lane = 'copy'));

-- CreateIndex
CREATE INDEX "runs_waiting_typed" ON "runs"("institute_id", "queued_at", "id") WHERE ((status = 'queued') AND (lane = 'typed'));

-- CreateIndex
CREATE INDEX "runs_returned" ON "runs"("deadline_at") WHERE ((status = 'queued') AND (deadline_at IS NOT NULL));

-- CreateIndex
CREATE INDEX "runs_in_flight" ON "runs"("institute_id", "lane", "released_at") WHERE ((status = 'released') OR (status = 'claimed'));

-- CreateIndex
CREATE INDEX "runs_finished_copy" ON "runs"("institute_id", "finished_at") WHERE ((status = 'completed') AND (lane = 'copy'));

-- CreateIndex
CREATE INDEX "runs_finished_typed" ON "runs"("institute_id", "finished_at") WHERE ((status = 'completed') AND (lane = 'typed'));

-- CreateIndex
CREATE UNIQUE INDEX "runs_submission_id_attempt_key" ON "runs"("submission_id", "attempt");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_institute_id_fkey" FOREIGN KEY ("institute_id") REFERENCES "institutes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sections" ADD CONSTRAINT "sections_exam_id_fkey" FOREIGN KEY ("exam_id") REFERENCES "exams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "questions" ADD CONSTRAINT "questions_exam_id_fkey" FOREIGN KEY ("exam_id") REFERENCES "exams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "questions" ADD CONSTRAINT "questions_section_id_fkey" FOREIGN KEY ("section_id") REFERENCES "sections"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "question_options" ADD CONSTRAINT "question_options_question_id_fkey" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rubric_versions" ADD CONSTRAINT "rubric_versions_question_id_fkey" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "registrations" ADD CONSTRAINT "registrations_exam_id_fkey" FOREIGN KEY ("exam_id") REFERENCES "exams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "registrations" ADD CONSTRAINT "registrations_candidate_id_fkey" FOREIGN KEY ("candidate_id") REFERENCES "candidates"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_exam_id_fkey" FOREIGN KEY ("exam_id") REFERENCES "exams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_candidate_id_fkey" FOREIGN KEY ("candidate_id") REFERENCES "candidates"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answers" ADD CONSTRAINT "answers_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "page_readings" ADD CONSTRAINT "page_readings_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "question_results" ADD CONSTRAINT "question_results_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checked_copies" ADD CONSTRAINT "checked_copies_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
