/** A changed run also changes its submission, and a changed submission also changes its exam. */
export interface Change {
  institute_id: string;
  exam_ids: readonly string[];
  submission_ids: readonly string[];
  run_ids: readonly string[];
}
