-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "claim_token_fence" INTEGER,
ADD COLUMN     "claim_token_sha256" TEXT;

-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "inspect_token_delivery" INTEGER,
ADD COLUMN     "inspect_tokens_sha256" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "copy_drawings" ADD COLUMN     "claim_token_delivery" INTEGER,
ADD COLUMN     "claim_token_sha256" TEXT;
