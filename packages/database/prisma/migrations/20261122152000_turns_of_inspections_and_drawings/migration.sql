-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "inspect_claimed_at" TIMESTAMPTZ(3),
ADD COLUMN     "inspect_waits_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "copy_drawings" ADD COLUMN     "claimed_at" TIMESTAMPTZ(3),
ADD COLUMN     "wanted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
