-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "repaired" BOOLEAN NOT NULL DEFAULT false;
