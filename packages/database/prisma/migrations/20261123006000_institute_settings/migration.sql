-- CreateTable
CREATE TABLE "institute_settings" (
    "institute_id" UUID NOT NULL,
    "blind" BOOLEAN NOT NULL DEFAULT false,
    "guide_target" DECIMAL(5,4) NOT NULL DEFAULT 0.95,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changed_by" UUID NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "institute_settings_pkey" PRIMARY KEY ("institute_id")
);

alter table institute_settings enable row level security;
alter table institute_settings force row level security;
create policy one_institute on institute_settings
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
