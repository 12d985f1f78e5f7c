-- CreateTable
CREATE TABLE "exhausting_files" (
    "institute_id" UUID NOT NULL,
    "sha256" VARCHAR(64) NOT NULL,
    "used_up" VARCHAR(16) NOT NULL,
    "seconds" INTEGER NOT NULL,
    "times" INTEGER NOT NULL DEFAULT 1,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "exhausting_files_pkey" PRIMARY KEY ("institute_id","sha256")
);

-- CreateIndex
CREATE INDEX "exhausting_files_last_at_idx" ON "exhausting_files"("last_at");

alter table exhausting_files enable row level security;
alter table exhausting_files force row level security;
create policy one_institute on exhausting_files
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
-- Core removes the rows of all institutes once they are a day old.
create policy across_institutes on exhausting_files using (current_setting('app.across_institutes', true) = 'on');
