-- outside a transaction: uploads is large
CREATE INDEX CONCURRENTLY IF NOT EXISTS "uploads_inspections_waiting" ON "uploads"("institute_id", "inspect_waits_since", "id") WHERE ((status = 'inspecting') AND (inspect_waits_since IS NOT NULL));
