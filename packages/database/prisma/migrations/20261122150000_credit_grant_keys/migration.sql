-- CreateTable
CREATE TABLE "credit_grant_keys" (
    "institute_id" UUID NOT NULL,
    "key" VARCHAR(256) NOT NULL,
    "amount" DECIMAL(14,4) NOT NULL,
    "balance_after" DECIMAL(14,4) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credit_grant_keys_pkey" PRIMARY KEY ("institute_id","key")
);

alter table credit_grant_keys enable row level security;
alter table credit_grant_keys force row level security;
create policy one_institute on credit_grant_keys
  using (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
