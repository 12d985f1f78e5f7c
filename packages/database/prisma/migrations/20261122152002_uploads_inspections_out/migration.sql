-- outside a transaction: uploads is large
CREATE INDEX CONCURRENTLY IF NOT EXISTS "uploads_inspections_out" ON "uploads"("institute_id") WHERE ((status >= 'inspecting') AND (status <= 'inspecting') AND (inspect_waits_since IS NULL));
