-- AlterTable
ALTER TABLE "institute_settings" ADD COLUMN     "evidence_days" INTEGER,
ADD COLUMN     "files_days" INTEGER,
ADD COLUMN     "readings_days" INTEGER;

-- The rounds that delete read the days of all institutes.
create policy across_institutes on institute_settings for select
  using (current_setting('app.across_institutes', true) = 'on');
