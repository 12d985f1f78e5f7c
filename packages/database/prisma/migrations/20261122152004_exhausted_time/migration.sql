-- CreateTable
CREATE TABLE "exhausted_time" (
    "institute_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "seconds" INTEGER NOT NULL,

    CONSTRAINT "exhausted_time_pkey" PRIMARY KEY ("institute_id")
);

alter table exhausted_time enable row level security;
alter table exhausted_time force row level security;
create policy one_institute on exhausted_time
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
