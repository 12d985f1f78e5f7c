-- CreateEnum
CREATE TYPE "EvidenceKind" AS ENUM ('pages', 'alignment', 'question');

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "evidence_since" TIMESTAMPTZ(3),
ADD COLUMN     "evidence_unneeded_since" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "evidence_parts" (
    "institute_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "kind" "EvidenceKind" NOT NULL,
    "ref" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "evidence_parts_pkey" PRIMARY KEY ("run_id","kind","ref")
);

-- CreateTable
CREATE TABLE "judgements" (
    "institute_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "question_id" UUID NOT NULL,
    "evidence" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "judgements_pkey" PRIMARY KEY ("institute_id","key")
);

-- CreateIndex
CREATE INDEX "judgements_run_id_idx" ON "judgements"("run_id");

-- CreateIndex
CREATE INDEX "runs_with_evidence" ON "runs"("evidence_since") WHERE (evidence_since IS NOT NULL);

-- CreateIndex
CREATE INDEX "runs_with_unneeded_evidence" ON "runs"("evidence_unneeded_since") WHERE (evidence_unneeded_since IS NOT NULL);

-- AddForeignKey
ALTER TABLE "evidence_parts" ADD CONSTRAINT "evidence_parts_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "judgements" ADD CONSTRAINT "judgements_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "evidence_parts" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "evidence_parts" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_institute ON "evidence_parts"
  USING (institute_id = nullif(current_setting('app.institute', true), '')::uuid);

ALTER TABLE "judgements" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "judgements" FORCE ROW LEVEL SECURITY;
CREATE POLICY one_institute ON "judgements"
  USING (institute_id = nullif(current_setting('app.institute', true), '')::uuid);
