-- CreateEnum
CREATE TYPE "AuditAction" AS ENUM ('override', 'override_dropped', 'approve', 'finalize', 'unfinalize');

-- AlterTable
ALTER TABLE "submissions" ADD COLUMN     "approved_at" TIMESTAMPTZ(3),
ADD COLUMN     "approved_by" TEXT;

-- CreateTable
CREATE TABLE "reviews" (
    "institute_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "awarded" DECIMAL(14,4) NOT NULL,
    "reviewer" TEXT NOT NULL,
    "reason" TEXT,
    "key_id" UUID NOT NULL,
    "edited_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reviews_pkey" PRIMARY KEY ("submission_id","question_id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" BIGSERIAL NOT NULL,
    "institute_id" UUID NOT NULL,
    "exam_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "question_id" UUID,
    "action" "AuditAction" NOT NULL,
    "key_id" UUID NOT NULL,
    "reviewer" TEXT,
    "reason" TEXT,
    "before" JSONB NOT NULL,
    "after" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "copy_drawings" (
    "submission_id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "released_at" TIMESTAMPTZ(3),
    "delivery" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "copy_drawings_pkey" PRIMARY KEY ("submission_id")
);

-- CreateIndex
CREATE INDEX "audit_entries_institute_id_submission_id_id_idx" ON "audit_entries"("institute_id", "submission_id", "id");

-- CreateIndex
CREATE INDEX "audit_entries_institute_id_exam_id_id_idx" ON "audit_entries"("institute_id", "exam_id", "id");

-- CreateIndex
CREATE INDEX "copy_drawings_released_at_idx" ON "copy_drawings"("released_at");

-- AddForeignKey
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "copy_drawings" ADD CONSTRAINT "copy_drawings_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['reviews', 'audit_entries', 'copy_drawings'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy one_institute on %I using (institute_id = nullif(current_setting(''app.institute'', true), '''')::uuid)',
      tenant_table
    );
  end loop;
end
$$;

-- Core's tick looks for copies to be drawn, of all institutes.
create policy across_institutes on copy_drawings using (current_setting('app.across_institutes', true) = 'on');

create trigger append_only before update or delete on audit_entries for each row execute function refuse_change();
