-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "place" BIGINT;

-- CreateTable
CREATE TABLE "run_queues" (
    "institute_id" UUID NOT NULL,
    "lane" "Lane" NOT NULL,
    "last_place" BIGINT NOT NULL,

    CONSTRAINT "run_queues_pkey" PRIMARY KEY ("institute_id","lane")
);

ALTER TABLE "run_queues" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "run_queues" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_institute ON "run_queues"
  USING (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
