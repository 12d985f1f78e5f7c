-- CreateTable
CREATE TABLE "idempotency_records" (
    "institute_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("institute_id","key")
);

-- CreateIndex
CREATE INDEX "idempotency_records_created_at_idx" ON "idempotency_records"("created_at");

ALTER TABLE "idempotency_records" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "idempotency_records" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_institute ON "idempotency_records"
  USING (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
-- For the sweep of what is older than 48 hours.
CREATE POLICY across_institutes ON "idempotency_records"
  USING (current_setting('app.across_institutes', true) = 'on');
