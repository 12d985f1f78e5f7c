-- CreateEnum
CREATE TYPE "GuideMode" AS ENUM ('off', 'suggest', 'apply');

-- CreateEnum
CREATE TYPE "GuideEvent" AS ENUM ('settings', 'preview', 'apply', 'undo', 'passing_stopped');

-- CreateEnum
CREATE TYPE "GuideStep" AS ENUM ('previewing', 'previewed', 'applying', 'applied', 'undoing', 'undone');

-- AlterEnum
ALTER TYPE "AuditAction" ADD VALUE 'guide_apply';
ALTER TYPE "AuditAction" ADD VALUE 'guide_undo';

-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "staff_role" TEXT;

-- CreateTable
CREATE TABLE "exam_guides" (
    "exam_id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "mode" "GuideMode" NOT NULL DEFAULT 'off',
    "target" DECIMAL(5,4) NOT NULL DEFAULT 0.95,
    "application_id" UUID,
    "passing_stopped_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "exam_guides_pkey" PRIMARY KEY ("exam_id")
);

-- CreateTable
CREATE TABLE "guide_events" (
    "id" BIGSERIAL NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "event" "GuideEvent" NOT NULL,
    "actor_id" UUID NOT NULL,
    "staff_role" TEXT,
    "before" JSONB NOT NULL,
    "after" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "guide_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "guide_versions" (
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "examples" JSONB NOT NULL,
    "constants" JSONB NOT NULL,
    "sha256" VARCHAR(64) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "guide_versions_pkey" PRIMARY KEY ("question_id","version")
);

-- CreateTable
CREATE TABLE "guide_applications" (
    "id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "step" "GuideStep" NOT NULL,
    "versions" JSONB NOT NULL,
    "passing" JSONB NOT NULL,
    "preview" JSONB NOT NULL,
    "applied" JSONB,
    "undone" JSONB,
    "after_candidate" UUID,
    "actor" JSONB NOT NULL,
    "worked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "guide_applications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "guided_marks" (
    "institute_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "application_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "exam_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "grader" JSONB NOT NULL,
    "before" JSONB NOT NULL,
    "after" JSONB NOT NULL,
    "threshold" DECIMAL(7,6),
    "passes" BOOLEAN NOT NULL,
    "audited" BOOLEAN NOT NULL,
    "undone_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "guided_marks_pkey" PRIMARY KEY ("run_id","question_id","application_id")
);

-- CreateIndex
CREATE INDEX "guide_events_institute_id_exam_id_id_idx" ON "guide_events"("institute_id", "exam_id", "id");

-- CreateIndex
CREATE INDEX "guide_versions_exam_id_idx" ON "guide_versions"("exam_id");

-- CreateIndex
CREATE INDEX "guide_applications_unfinished" ON "guide_applications"("worked_at") WHERE (step = 'applying') OR (step = 'undoing');

-- CreateIndex
CREATE UNIQUE INDEX "guide_applications_exam_id_number_key" ON "guide_applications"("exam_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "guide_applications_working" ON "guide_applications"("exam_id") WHERE (step = 'applying') OR (step = 'undoing');

-- CreateIndex
CREATE INDEX "guided_marks_audited" ON "guided_marks"("exam_id", "submission_id") WHERE (audited AND (undone_at IS NULL));

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['exam_guides', 'guide_events', 'guide_versions', 'guide_applications', 'guided_marks'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy one_institute on %I using (institute_id = nullif(current_setting(''app.institute'', true), '''')::uuid)',
      tenant_table
    );
  end loop;
end
$$;

-- Core continues applications and undos of all institutes after a stop.
create policy across_institutes on guide_applications using (current_setting('app.across_institutes', true) = 'on');

create trigger append_only before update or delete on guide_versions for each row execute function refuse_change();
create trigger append_only before update or delete on guide_events for each row execute function refuse_change();
create trigger keep_updated_at before insert or update on exam_guides for each row execute function keep_updated_at();

alter table exam_guides add constraint exam_guides_target check (target > 0 and target < 1);
alter table guided_marks add constraint guided_marks_audited_pass check (passes or not audited);
