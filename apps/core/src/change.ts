/**
 * What a call has changed. A changed run counts as a change of its submission, and a changed submission as one of its
 * exam.
 */
export interface Change {
  institute_id: string;
  exam_ids: readonly string[];
  submission_ids: readonly string[];
  run_ids: readonly string[];
}
