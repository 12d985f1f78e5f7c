-- AlterTable
-- Rows of the release before get the time of the upgrade. The table is not rewritten.
ALTER TABLE "page_readings" ADD COLUMN     "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- Core deletes old readings of all institutes.
CREATE POLICY across_institutes ON "page_readings" USING (current_setting('app.across_institutes', true) = 'on');
