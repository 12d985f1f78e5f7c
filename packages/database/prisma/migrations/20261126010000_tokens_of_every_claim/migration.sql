-- Every claim has a token, so the fence of the claim that has one is not needed.
ALTER TABLE runs DROP COLUMN claim_token_fence;

-- `uploads_inspecting` served cores that found lost inspections by the time of their release. Without it, the index of
-- released inspections needs no condition that the planner cannot mistake for the other's.
DROP INDEX uploads_inspecting;
DROP INDEX uploads_inspections_out;
CREATE INDEX uploads_inspections_out ON uploads (institute_id)
  WHERE status = 'inspecting' AND inspect_waits_since IS NULL;
