/** Identity of a run. Statements filter by both ids, because `runs` is subject to row-level security. */
export interface RunKey {
  institute_id: string;
  run_id: string;
}
