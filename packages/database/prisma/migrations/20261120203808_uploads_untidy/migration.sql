-- DropIndex
DROP INDEX "uploads_untidy";

-- CreateIndex
CREATE INDEX "uploads_untidy" ON "uploads"("created_at") WHERE (tidied_at IS NULL) AND (sealed_key IS NOT NULL);
