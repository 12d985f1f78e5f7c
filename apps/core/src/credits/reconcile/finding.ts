/**
 * Findings of the reconciler (docs/operate/runbook.md#reconcile). Each means a defect of the service or a manual change
 * of the tables.
 */
export const FINDINGS = [
  // The account against its entries.
  'account_missing',
  'balance_differs',
  'committed_differs',
  'chain_broken',
  // The entries of a run against the run.
  'entry_without_run',
  'reserved_twice',
  'settled_twice',
  'charged_but_not_completed',
  'completed_but_released',
  'released_while_active',
  'not_reserved',
  'reservation_left_open',
  'amount_differs',
  // A submission against its run.
  'current_run_missing',
  'status_contradicts_run',
  'credits_charged_differs',
  'run_of_gone_submission',
  'stray_run',
  // Counters against the rows that they count.
  'live_submissions_differ',
  'live_unfinalized_differ',
  'copies_uncounted',
  'copies_overcounted',
  'copies_of_keys_exceed',
] as const;
export type FindingKind = (typeof FINDINGS)[number];

export interface Finding {
  institute_id: string;
  finding: FindingKind;
  /** Id of the run, entry, submission or exam; the UTC day of a daily counter; the institute of an account. */
  subject: string;
  expected: string;
  found: string;
  /** Number of findings of this kind in the institute. Only the first few are listed. */
  total: number;
}
