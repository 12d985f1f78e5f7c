/** Names a run. Every statement of a tenant asks for both, under row-level security. */
export interface RunKey {
  institute_id: string;
  run_id: string;
}
