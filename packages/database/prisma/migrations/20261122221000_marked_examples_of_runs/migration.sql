-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "marked_examples" JSONB;
