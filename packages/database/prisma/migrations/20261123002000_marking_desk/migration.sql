-- CreateTable
CREATE TABLE "marking_flags" (
    "institute_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "note" TEXT,
    "staff_id" UUID NOT NULL,
    "flagged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "marking_flags_pkey" PRIMARY KEY ("submission_id","question_id")
);

-- CreateTable
CREATE TABLE "open_copies" (
    "institute_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "staff_id" UUID NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "open_copies_pkey" PRIMARY KEY ("submission_id","staff_id")
);

-- CreateIndex
CREATE INDEX "open_copies_staff_id_idx" ON "open_copies"("staff_id");

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['marking_flags', 'open_copies'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy one_institute on %I using (institute_id = nullif(current_setting(''app.institute'', true), '''')::uuid)',
      tenant_table
    );
  end loop;
end
$$;
