-- AlterTable
ALTER TABLE "candidates" ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "submissions" ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "erasures" (
    "candidate_id" UUID NOT NULL,
    "institute_id" UUID NOT NULL,
    "external_id" TEXT,
    "files_gone_up_to" UUID,
    "files_removed_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "erasures_pkey" PRIMARY KEY ("candidate_id")
);

-- CreateIndex
CREATE INDEX "erasures_by_external_id" ON "erasures"("institute_id", "external_id") WHERE (external_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "erasures_unsettled" ON "erasures"("requested_at") WHERE (settled_at IS NULL);

-- CreateIndex
CREATE INDEX "submissions_candidate_id_idx" ON "submissions"("candidate_id");

-- AddForeignKey
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_candidate_id_fkey" FOREIGN KEY ("candidate_id") REFERENCES "candidates"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

alter table erasures enable row level security;
alter table erasures force row level security;
create policy one_institute on erasures
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
-- Core goes on with erasures that were cut short, and looks once more for late files, of all institutes.
create policy across_institutes on erasures using (current_setting('app.across_institutes', true) = 'on');

-- What is done says nothing of whom it was done for.
alter table erasures add constraint erasures_forget_the_id
  check (external_id is null or files_removed_at is null);
