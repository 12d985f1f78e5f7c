-- AlterTable
ALTER TABLE "evidence_parts" ADD COLUMN     "pack" UUID,
ADD COLUMN     "pack_offset" INTEGER;
