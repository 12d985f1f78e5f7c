-- CreateEnum
CREATE TYPE "GuidePass" AS ENUM ('preview', 'apply', 'undo');

-- DropIndex
DROP INDEX "guide_applications_exam_id_number_key";

-- DropIndex
DROP INDEX "guide_applications_unfinished";

-- DropIndex
DROP INDEX "guide_applications_working";

-- DropIndex
DROP INDEX "reviews_of_question";

-- AlterTable
ALTER TABLE "exam_guides" DROP COLUMN "application_id",
ADD COLUMN     "in_force" INTEGER;

-- AlterTable
ALTER TABLE "guide_applications" DROP CONSTRAINT "guide_applications_pkey",
DROP COLUMN "applied",
DROP COLUMN "id",
DROP COLUMN "preview",
DROP COLUMN "step",
DROP COLUMN "undone",
ADD COLUMN     "counts" JSONB NOT NULL,
ADD COLUMN     "ended_at" TIMESTAMPTZ(3),
ADD COLUMN     "pass" "GuidePass" NOT NULL DEFAULT 'preview',
ADD CONSTRAINT "guide_applications_pkey" PRIMARY KEY ("exam_id", "number");

-- AlterTable
ALTER TABLE "reviews" DROP CONSTRAINT "reviews_pkey",
ADD COLUMN     "application" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "confidence" DECIMAL(5,4),
ADD COLUMN     "needs_review" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "review_reasons" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "threshold" DECIMAL(7,6),
ADD CONSTRAINT "reviews_pkey" PRIMARY KEY ("submission_id", "question_id", "application");

-- DropTable
DROP TABLE "guided_marks";

-- DropEnum
DROP TYPE "GuideStep";

-- CreateIndex
CREATE INDEX "guide_applications_unfinished" ON "guide_applications"("worked_at") WHERE ((ended_at IS NULL) AND (pass <> 'preview'));

-- CreateIndex
CREATE UNIQUE INDEX "guide_applications_working" ON "guide_applications"("exam_id") WHERE ((ended_at IS NULL) AND (pass <> 'preview'));

-- CreateIndex
CREATE INDEX "reviews_of_question" ON "reviews"("institute_id", "question_id", "edited_at") WHERE (application = 0);

-- CreateIndex
CREATE INDEX "reviews_audited" ON "reviews"("question_id", "application") WHERE ('guide_audit'::text = ANY (review_reasons));
