-- Every part is in an object with others.
ALTER TABLE evidence_parts ALTER COLUMN pack SET NOT NULL, ALTER COLUMN pack_offset SET NOT NULL;
