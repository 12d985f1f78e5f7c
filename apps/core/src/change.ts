/** What a call has changed. A run stands for its submission, and a submission for its exam too. */
export interface Change {
  institute_id: string;
  exam_ids: readonly string[];
  submission_ids: readonly string[];
  run_ids: readonly string[];
}
